/** Makes text from elsewhere safe to show on a terminal. */
import { stripVTControlCharacters } from "node:util";

/** The text without characters that move the cursor, or change colours or the direction of text. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ");
}

/** What JSON leaves as it is: DEL and the C1 controls, and marks for the direction of text. */
const LEFT = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON in several lines, without characters that a terminal would obey. */
export function plainJson(value: unknown): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, undefined, 2).replace(LEFT, escaped);
}
