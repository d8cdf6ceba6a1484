/** Checks a tool's result against its declared output. If it does not match, the call fails with a fixed message. */
import { type Json, NotJson, toJson } from "../lib/json.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import { areBlocks, isRich, isSvgImage, type Rich, SVG_IMAGE } from "../model/content.ts";
import { inOneLine, toIssues } from "../model/issues.ts";
import type { Outcome } from "../model/outcome.ts";
import { type SchemaIssue, type Validated, validate } from "../model/schema.ts";
import { pathOfMismatch } from "./mismatch.ts";
import type { ToolRun } from "./run-tool.ts";
import { ourFault } from "./within-time-limit.ts";

/** Turns a result into an outcome. Never throws or rejects. Returns a promise only if the tool's schema does. */
export function check(returned: unknown, tool: ToolRun): MaybePromise<Outcome> {
  return attempt(
    () => {
      const rich = typeof returned === "object" && isRich(returned) ? returned : undefined;
      const value = rich ? rich.value : returned;
      const schema = tool.definition.output;
      if (!schema) return completed(value, rich, tool);
      const validated = validate(schema, value);
      return isPromise(validated)
        ? validated.then((result) => toOutcome(result, value, rich, tool))
        : toOutcome(validated, value, rich, tool);
    },
    (error) => notJson(error, tool),
  );
}

function toOutcome(
  validated: Validated<unknown>,
  returned: unknown,
  rich: Rich<unknown> | undefined,
  tool: ToolRun,
): Outcome {
  if (validated.issues === undefined) return completed(validated.value, rich, tool);
  const { issues } = validated;
  return mismatch(tool.runtime.isLocal ? issues.map((issue) => withValue(issue, returned, tool)) : issues, tool);
}

/** @throws NotJson if the value cannot be expressed in JSON */
function completed(value: unknown, rich: Rich<unknown> | undefined, tool: ToolRun): Outcome {
  if (rich && !areBlocks(rich.blocks)) return mismatch([NO_BLOCKS], tool);
  if (rich?.omit === "structured" && isListed(tool)) return mismatch([NOT_STRUCTURED], tool);
  const content = rich && (toJson({ blocks: rich.blocks, meta: rich.meta, omit: rich.omit }) as object);
  if (rich?.blocks.some(isSvgImage)) warnOfSvg(tool);
  if (tool.definition.output === null) return { kind: "completed", ...content };
  const dropped: string[] = [];
  const json = value === undefined ? undefined : toJson(value, "", 0, dropped);
  if (json === undefined || dropped.length > 0) {
    const missing = missingMember(json, tool);
    if (missing !== undefined) return mismatch([{ path: missing.split("."), message: UNDEFINED }], tool);
  }
  return json === undefined ? { kind: "completed", ...content } : { kind: "completed", value: json, ...content };
}

/** Path of a member that JSON drops because it is undefined, although the listed schema requires it. */
function missingMember(json: Json | undefined, tool: ToolRun): string | undefined {
  return isListed(tool) ? pathOfMismatch(JSON.parse(tool.primitive.json.output), json) : undefined;
}

/** Whether the schema is listed: then clients check results against it. */
function isListed({ primitive }: ToolRun): boolean {
  return primitive.output === "object" || primitive.output === "value";
}

function warnOfSvg({ caller, primitive, runtime }: ToolRun): void {
  const tool = `${primitive.id}@${primitive.version}`;
  runtime.log({ level: "warning", message: SVG_IMAGE, callId: caller.callId, tool });
}

/** The member would be missing from the result, and clients refuse a result without a required member. */
const UNDEFINED = "Is undefined, which JSON leaves out, but the listed output requires a value";

const NO_BLOCKS: SchemaIssue = { path: ["blocks"], message: "Must be a list of content blocks, each with a type" };

const NOT_STRUCTURED: SchemaIssue = {
  path: ["omit"],
  message: 'Must not be "structured" for a tool with an output, because clients refuse a result without it',
};

const MAX_SHOWN = 80;

/** Under `npm start`, an issue also says what was returned. A deployment's log has no part of a result. */
function withValue(issue: SchemaIssue, returned: unknown, { context }: ToolRun): SchemaIssue {
  try {
    const [{ message = "" } = {}] = toIssues([issue]);
    let value = returned;
    for (const step of issue.path ?? []) value = (value as never)?.[typeof step === "object" ? step.key : step];
    // Scrub before cutting, so that no part of a secret remains.
    const shown = context.scrub((typeof value === "function" ? undefined : JSON.stringify(value)) ?? String(value));
    const end = shown.length > MAX_SHOWN ? "…" : "";
    return { path: issue.path, message: `${message}, and is ${shown.slice(0, MAX_SHOWN)}${end}` };
  } catch {
    // A getter that throws, or a list that contains itself.
    return issue;
  }
}

function mismatch(issues: readonly SchemaIssue[], tool: ToolRun): Outcome {
  const detail = tool.context.scrub(inOneLine(toIssues(issues)));
  // Without a stack: it would lead to this check, not to the code that made the value.
  const error = Object.assign(new Error(detail), { stack: undefined });
  return ourFault(tool, "The tool's result does not match its declared output.", error, tool.context.scrub, detail);
}

function notJson(error: unknown, tool: ToolRun): Outcome {
  const problem = problemOf(error);
  const detail = problem && tool.context.scrub(problem);
  return ourFault(tool, "The tool's result cannot be represented in JSON.", error, tool.context.scrub, detail);
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
