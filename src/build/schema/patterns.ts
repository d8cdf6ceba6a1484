/** Finds patterns that JSON Schema cannot express: its patterns have no flags, and always mean `u` (2020-12, 6.4). */

/** Flags that change what a pattern matches. `u` is implied in JSON Schema, and the others only affect searching. */
const CHANGING = /[imsv]/;

/** @returns sources of the patterns in a library's schema that would match other texts in JSON Schema */
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
    // The form in arktype's `json`.
    const { rule, flags } = part as { rule?: unknown; flags?: unknown };
    if (typeof flags === "string" && CHANGING.test(flags)) found.add(String(rule));
    for (const inner of Object.values((part as { _zod?: { def: object } })._zod?.def ?? part)) look(inner);
  };
  // An arktype schema is a function, with its structure in `json`.
  look(typeof schema === "function" ? (schema as { json?: unknown }).json : schema);
  return found;
}

/** Whether a value is a pattern that JSON Schema can read. */
export function isPattern(text: unknown): text is string {
  try {
    return typeof text === "string" && new RegExp(text, "u") !== undefined;
  } catch {
    return false;
  }
}
