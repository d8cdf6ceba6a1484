/** Makes text of others safe to show on a terminal. */
import { stripVTControlCharacters } from "node:util";

/** The text without what would move the cursor, change colours, or the direction of text. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, " ");
}
