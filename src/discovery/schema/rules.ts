/** Rules about the members of a definition: a schema for each, with what to say if a member does not fit it. */
import * as v from "valibot";
import { isRecord } from "../../core/lib/json.ts";

/** A schema, with what to say if a member does not fit it: the problem, and how to fix it. */
export type Rule = readonly [schema: v.GenericSchema, problem: string, fix: string];

/** Any text but an empty one. */
export const NAME = v.pipe(v.string(), v.nonEmpty());
/** Any text but white space. */
export const TEXT = v.pipe(v.string(), v.regex(/\S/));
/** valibot's own object schemas also take arrays. */
export const RECORD = v.custom<Record<string, unknown>>(isRecord);

/** Checks the members that are there. @returns complaints in the order of the rules */
export function* broken(
  rules: Readonly<Record<string, Rule>>,
  definition: Readonly<Record<string, unknown>>,
): Generator<{ readonly problem: string; readonly fix: string; readonly member: string }> {
  for (const [member, [schema, problem, fix]] of Object.entries(rules)) {
    if (definition[member] !== undefined && !v.is(schema, definition[member])) yield { problem, fix, member };
  }
}

/** A rule for a member that is true or false. @param written the value in the fix: the opposite of the default */
export function truth(member: string, written = true): Rule {
  return [v.boolean(), `its ${member} is not true or false`, `write ${member}: ${written}, or leave it out`];
}
