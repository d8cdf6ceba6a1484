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

/** What to say of such a number (see {@link inexactNumberIn}). */
export const INEXACT = "which loses digits in JavaScript: the tool has to send it as text";

/** Strings, in which digits are no numbers, and numbers. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Finds a whole number beyond ±(2^53 − 1), which is another one once it is read.
 *
 * @param text JSON
 * @returns the first, as it is written
 */
export function inexactNumberIn(text: string): string | undefined {
  if (!/\d{16}/.test(text)) return undefined;
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) return token;
  }
  return undefined;
}
