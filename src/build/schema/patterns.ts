/** Which patterns of a library's schema JSON Schema can tell: it has no flags, and reads all with `u` (2020-12, 6.4). */

/** Flags that change what fits; `u` is how JSON Schema reads every pattern, and the others are for searching. */
const CHANGING = /[imsv]/;

/** @returns sources of the patterns in a library's schema that JSON Schema would read otherwise */
export function flaggedPatterns(schema: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null || seen.has(part)) return;
    seen.add(part);
    if (part instanceof RegExp) {
      if (CHANGING.test(part.flags)) found.add(part.source);
      return;
    }
    // As arktype prints them.
    const { rule, flags } = part as { rule?: unknown; flags?: unknown };
    if (typeof flags === "string" && CHANGING.test(flags)) found.add(String(rule));
    for (const inner of Object.values((part as { _zod?: { def: object } })._zod?.def ?? part)) look(inner);
  };
  // An arktype schema is a function, and says in `json` what it consists of.
  look(typeof schema === "function" ? (schema as { json?: unknown }).json : schema);
  return found;
}

export function isPattern(text: unknown): text is string {
  try {
    return typeof text === "string" && new RegExp(text, "u") !== undefined;
  } catch {
    return false;
  }
}
