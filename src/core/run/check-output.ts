/** Checks a tool's result against its declared output. If it does not match, the call fails with a clear message. */
import { NotJson, toJson } from "../lib/json.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import { isRich, type Rich } from "../model/content.ts";
import { inOneLine, toIssues } from "../model/issues.ts";
import type { Outcome } from "../model/outcome.ts";
import { type SchemaIssue, type Validated, validate } from "../model/schema.ts";
import { ourFault } from "./run-code.ts";
import type { ToolRun } from "./run-tool.ts";

/** Turns a result into an outcome. Never throws or rejects. Returns a promise only if the tool's schema does. */
export function check(returned: unknown, tool: ToolRun): MaybePromise<Outcome> {
  return attempt(
    () => {
      const rich = isRich(returned) ? returned : undefined;
      const value = rich ? rich.value : returned;
      const schema = tool.definition.output;
      if (!schema) return completed(value, rich, tool);
      const validated = validate(schema, value);
      return isPromise(validated)
        ? validated.then((result) => toOutcome(result, rich, tool))
        : toOutcome(validated, rich, tool);
    },
    (error) => notJson(error, tool),
  );
}

function toOutcome(validated: Validated<unknown>, rich: Rich<unknown> | undefined, tool: ToolRun): Outcome {
  return validated.issues ? mismatch(validated.issues, tool) : completed(validated.value, rich, tool);
}

/** @throws NotJson if the value cannot be expressed in JSON */
function completed(value: unknown, rich: Rich<unknown> | undefined, tool: ToolRun): Outcome {
  const content = rich?.blocks && (toJson({ blocks: rich.blocks, meta: rich.meta }) as object);
  const returnsNothing = tool.definition.output === null || value === undefined;
  return returnsNothing ? { kind: "completed", ...content } : { kind: "completed", value: toJson(value), ...content };
}

function mismatch(issues: readonly SchemaIssue[], tool: ToolRun): Outcome {
  const detail = tool.context.scrub(inOneLine(toIssues(issues)));
  return fault("The tool's result does not match its declared output.", new Error(detail), detail, tool);
}

function notJson(error: unknown, tool: ToolRun): Outcome {
  const problem = problemOf(error);
  const detail = problem && tool.context.scrub(problem);
  return fault("The tool's result cannot be represented in JSON.", error, detail, tool);
}

/** Says which part of a result is not JSON; undefined if something else was thrown. */
function problemOf(error: unknown): string | undefined {
  try {
    return error instanceof NotJson ? error.message : undefined;
  } catch {
    // `instanceof` throws for a revoked proxy.
    return undefined;
  }
}

function fault(message: string, error: unknown, detail: string | undefined, tool: ToolRun): Outcome {
  return ourFault(tool.caller, tool.offer, tool.runtime, message, error, tool.context.scrub, detail);
}
