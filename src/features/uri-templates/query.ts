/** The query of a URI with operators, as in `{?q,limit}`: its parameters, which may come in any order. */
import { decoded } from "../../core/call/uri-template.ts";
import type { UriPattern, Variables } from "../../core/model/primitives.ts";
import type { Decode } from "../../core/ports/uri-templates.ts";

/**
 * @param text after the "?", as it is written; undefined if there is no query
 * @returns undefined if the query lacks what it must have, or has what the template does not
 */
export function fitQuery(
  { fixed, names }: NonNullable<UriPattern["query"]>,
  text: string | undefined,
  decode: Decode,
): Variables | undefined {
  // Clients escape a "#" in a query: unescaped, it begins a fragment.
  if (text?.includes("#")) return undefined;
  const given = new Map<string, string[]>();
  for (const pair of text ? text.split("&") : []) {
    const [name, value = ""] = cut(pair, "=");
    const values = given.get(decode(name)) ?? [];
    given.set(decode(name), values);
    values.push(value);
  }
  /** Each parameter can be taken once. */
  const take = (name: string): readonly string[] => {
    const values = given.get(name) ?? [];
    given.delete(name);
    return values;
  };
  for (const pair of fixed) {
    const [name, value = ""] = cut(pair, "=");
    const [one, ...more] = take(decoded(name));
    if (one === undefined || decode(one) !== decoded(value) || more.length > 0) return undefined;
  }
  const found: [string, string | readonly string[]][] = [];
  for (const variable of names) {
    const name = variable.replace("*", "");
    const values = take(name);
    if (name !== variable) {
      const entries = values.flatMap((value) => value.split(","));
      found.push([name, listOf(entries, decode)]);
      continue;
    }
    const [one, ...more] = values;
    if (more.length > 0) return undefined;
    if (one !== undefined) found.push([name, decode(one)]);
  }
  return given.size === 0 ? Object.fromEntries(found) : undefined;
}

/** @returns what is before the first such character, and what is after it; undefined if there is none */
export function cut(text: string, at: string): [before: string, after?: string] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** Decodes the entries of a list. One empty entry is an empty list: clients write both alike. */
export function listOf(entries: readonly string[], decode: Decode): readonly string[] {
  return entries.length === 1 && entries[0] === "" ? [] : entries.map(decode);
}
