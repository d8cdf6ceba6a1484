/** Turns the text of `key=value` into the value that a schema asks for. Pure. check.ts finds what does not fit. */

import { inexactNumberIn } from "../../../client/lib/json.ts";
import { Mistake } from "../../lib/mistake.ts";
import type { JsonSchema } from "../protocols/connection.ts";
import { asSchema } from "../protocols/lib.ts";
import { checkValue } from "./check.ts";

/**
 * @param texts each value that was written for the parameter; only a list has several
 * @returns a value that fits the schema if there is one, else what comes nearest
 */
export function coerce(texts: readonly string[], schema: JsonSchema): unknown {
  const types = typesOf(schema);
  const [text = ""] = texts;
  if (texts.length > 1) return texts.map((one) => coerce([one], itemsOf(schema)));
  const all = [...candidates(text, schema, types), text].filter((value) => value !== undefined);
  const fitting = all.findIndex((value) => checkValue(value, schema).length === 0);
  return all[Math.max(0, fitting)];
}

/** What the text may mean, the most likely first. A text for a parameter that takes only text stays as it is. */
function candidates(text: string, schema: JsonSchema, types: ReadonlySet<string>): unknown[] {
  const takesAll = types.size === 0;
  const takes = (type: string) => takesAll || types.has(type);
  const parsed = parse(text);
  return [
    // Only if the schema allows null: otherwise the word is text.
    text === "null" && takes("null") ? null : undefined,
    /^(true|false)$/.test(text) && takes("boolean") ? text === "true" : undefined,
    // If the parameter also takes text, 007 and +49 30 are text: as numbers they would lose characters.
    (takes("number") || takes("integer")) && (!takes("string") || JSON_NUMBER.test(text)) ? numberOf(text) : undefined,
    Array.isArray(parsed) && takes("array") ? parsed : undefined,
    typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) && takes("object") ? parsed : undefined,
    // A single value of a list. If the parameter takes any type, the value is not put into a list.
    !takesAll && types.has("array") ? [coerce([text], itemsOf(schema))] : undefined,
    takes("string") ? text : undefined,
  ];
}

/** The types that a schema accepts, as far as it says. Empty: any. */
export function typesOf(given: unknown): ReadonlySet<string> {
  const schema = asSchema(given);
  const { type, enum: choices, anyOf, oneOf } = schema as Readonly<Record<string, unknown>>;
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type);
  if ("const" in schema) return new Set([typeOf(schema.const)]);
  if (Array.isArray(choices)) return new Set(choices.map(typeOf));
  const alternatives = [anyOf, oneOf].find(Array.isArray) as readonly unknown[] | undefined;
  const all = (alternatives ?? []).map((one) => typesOf(one));
  // If one alternative takes any type, so does the whole.
  return all.some((one) => one.size === 0) ? new Set() : new Set(all.flatMap((one) => [...one]));
}

/** The schema of the members of a list, or of the alternative that is a list. */
function itemsOf(given: unknown): JsonSchema {
  const schema = asSchema(given);
  const { items, anyOf, oneOf } = schema as Readonly<Record<string, unknown>>;
  if (typeof items === "object" && items !== null) return items as JsonSchema;
  const alternatives = ([anyOf, oneOf].find(Array.isArray) ?? []) as readonly unknown[];
  const list = alternatives.find((one) => typesOf(one).has("array"));
  return list ? itemsOf(list) : {};
}

export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** RFC 8259, section 6. */
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** @returns undefined for a text that is not a number. Unlike in JSON, it may begin with a plus or zeros */
function numberOf(text: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text);
  const isWhole = /^[+-]?\d+$/.test(text);
  // A larger whole number would lose digits.
  return Number.isFinite(number) && (!isWhole || Number.isSafeInteger(number)) ? number : undefined;
}

/** @returns a list or an object; undefined for any other text */
function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof Mistake) throw error;
    return undefined;
  }
}

/**
 * Reads JSON that a person wrote.
 *
 * @throws {Mistake} for a whole number that would lose digits, such as an id of a social network
 * @throws {SyntaxError} for what is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const inexact = inexactNumberIn(text);
  if (inexact === undefined) return value;
  const how = `write "${inexact}", if the tool takes a text`;
  throw new Mistake(`${inexact} has more digits than a number can keep: ${how}.`);
}
