/** How the texts of a URI are divided. */
import type { Decode } from "../pipeline/uri-template.ts";

/** @returns what is before the first such character, and what is after it; undefined if there is none */
export function cut(text: string, at: string): [before: string, after?: string] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** Decodes the entries of a list. One empty entry is an empty list: clients write both alike. */
export function listOf(entries: readonly string[], decode: Decode): readonly string[] {
  return entries.length === 1 && entries[0] === "" ? [] : entries.map(decode);
}
