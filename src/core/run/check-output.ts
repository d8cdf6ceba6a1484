/** Whether a tool returned what it promises. A tool that breaks its own promise is a failed call, said clearly. */
import { NotJson, toJson } from "../lib/json.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import { isRich, type Rich } from "../model/content.ts";
import { inOneLine, toIssues } from "../model/issues.ts";
import type { Outcome } from "../model/outcome.ts";
import { judge, type SchemaIssue, type Validated } from "../model/schema.ts";
import { misfit } from "./misfit.ts";
import { ourFault } from "./run-code.ts";
import type { ToolRun } from "./run-tool.ts";

/** Never throws and never rejects. Returns a promise only if the tool's schema does. */
export function check(returned: unknown, tool: ToolRun): MaybePromise<Outcome> {
  return attempt(
    () => {
      const rich = isRich(returned) ? returned : undefined;
      const value = rich ? rich.value : returned;
      const schema = tool.definition.output;
      if (!schema) return completed(value, rich, tool);
      const verdict = judge(schema, value);
      return isPromise(verdict) ? verdict.then((made) => judged(made, rich, tool)) : judged(verdict, rich, tool);
    },
    (error) => notJson(error, tool),
  );
}

function judged(verdict: Validated<unknown>, rich: Rich<unknown> | undefined, tool: ToolRun): Outcome {
  return verdict.issues ? mismatch(verdict.issues, tool) : completed(verdict.value, rich, tool);
}

/** @throws NotJson if the value cannot be expressed in JSON */
function completed(value: unknown, rich: Rich<unknown> | undefined, tool: ToolRun): Outcome {
  const shown = rich?.blocks && (toJson({ blocks: rich.blocks, meta: rich.meta }) as object);
  const { output } = tool.offer;
  if (tool.definition.output === null) return { kind: "completed", ...shown };
  const dropped: string[] = [];
  const json = value === undefined ? undefined : toJson(value, "", 0, dropped);
  if (json === undefined || dropped.length > 0) {
    const isPromised = output === "object" || output === "value";
    const missing = isPromised ? misfit(JSON.parse(tool.offer.json.output), json) : undefined;
    if (missing !== undefined) return mismatch([{ path: missing.split("."), message: UNDEFINED }], tool);
  }
  return json === undefined ? { kind: "completed", ...shown } : { kind: "completed", value: json, ...shown };
}

/** Clients refuse such a result: its place is empty, and the listed schema has something there. */
const UNDEFINED = "Is undefined, which JSON leaves out, and the listed output requires it";

function mismatch(issues: readonly SchemaIssue[], tool: ToolRun): Outcome {
  const detail = tool.context.scrub(inOneLine(toIssues(issues)));
  return fault("The tool's result does not match its declared output.", new Error(detail), detail, tool);
}

function notJson(error: unknown, tool: ToolRun): Outcome {
  const where = placeOf(error);
  const detail = where && tool.context.scrub(where);
  return fault("The tool's result cannot be carried by JSON.", error, detail, tool);
}

/** Which part of a result is not JSON; undefined if something else was thrown. */
function placeOf(error: unknown): string | undefined {
  try {
    return error instanceof NotJson ? error.message : undefined;
  } catch {
    // A revoked proxy cannot even be looked at.
    return undefined;
  }
}

function fault(message: string, error: unknown, detail: string | undefined, tool: ToolRun): Outcome {
  return ourFault(tool.caller, tool.offer, tool.runtime, message, error, tool.context.scrub, detail);
}
