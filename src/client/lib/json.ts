/** Reads JSON of unknown form. */

/** Whether a value is an object, and neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The end of a sentence about a number that {@link inexactNumberIn} finds. */
export const INEXACT = "which loses digits in JavaScript: the tool has to send it as text";

/** Strings and numbers. Strings are matched so that digits in them are not taken for numbers. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Finds a whole number beyond ±(2^53 − 1), whose last digits `JSON.parse` may change.
 *
 * @param text JSON
 * @returns the first such number, as it is written; undefined if there is none
 */
export function inexactNumberIn(text: string): string | undefined {
  if (!/\d{16}/.test(text)) return undefined;
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) return token;
  }
  return undefined;
}
