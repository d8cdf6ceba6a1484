/** Validates a call's input with the tool's schema, which may also transform it. */
import { isRecord } from "../lib/json.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import type { Call } from "../model/call.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition } from "../model/definition.ts";
import { toIssues } from "../model/issues.ts";
import type { Outcome } from "../model/outcome.ts";
import { type Validated, validateInput } from "../model/schema.ts";
import type { Runtime } from "../ports/runtime.ts";
import { ourFault } from "./within-time-limit.ts";

export type Parsed = { readonly input: unknown } | { readonly outcome: Outcome };

const NOT_AN_OBJECT: Parsed = {
  outcome: { kind: "invalid", issues: [{ path: "", message: "Must be an object of parameters" }] },
};

/** Parses a call's input. Never throws or rejects. Returns a promise only if the tool's schema does. */
export function parse(
  definition: ToolDefinition,
  entry: CatalogEntry,
  call: Call,
  runtime: Runtime,
): MaybePromise<Parsed> {
  const { input: sent = {} } = call;
  const { input: schema } = definition;
  if (!isRecord(sent)) return NOT_AN_OBJECT;
  if (schema === undefined) return { input: {} };
  return attempt<Parsed>(
    () => {
      // Validators look up members with `in`, which finds "constructor" in any object with a prototype.
      const validated = validateInput(schema, { __proto__: null, ...sent });
      return isPromise(validated) ? validated.then(toParsed) : toParsed(validated);
    },
    (error) => ({
      outcome: ourFault({ caller: call, primitive: entry, runtime }, "The tool's input check failed.", error),
    }),
  );
}

function toParsed(validated: Validated<unknown>): Parsed {
  if (!validated.issues) return { input: validated.value };
  return { outcome: { kind: "invalid", issues: toIssues(validated.issues) } };
}
