/** Finds patterns that JSON Schema cannot express: its patterns have no flags, and always mean `u` (2020-12, 6.4). */

/** Flags that change what a pattern matches. `u` is implied in JSON Schema, and the others only affect searching. */
const CHANGING = /[imsv]/;

/** @returns the sources of patterns in a library's schema that would match other texts if JSON Schema read them */
export function flaggedPatterns(schema: unknown): ReadonlySet<string> {
  return new Set(regexesIn(schema).flatMap(({ source, flags }) => (CHANGING.test(flags) ? [source] : [])));
}

/** @returns every pattern in a library's schema */
export function regexesIn(schema: unknown): Pick<RegExp, "source" | "flags">[] {
  const found: Pick<RegExp, "source" | "flags">[] = [];
  const seen = new Set<unknown>();
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null || seen.has(part)) return;
    seen.add(part);
    if (part instanceof RegExp) {
      found.push({ source: part.source, flags: part.flags });
      return;
    }
    // arktype's `json` has patterns in this form.
    const { rule, flags } = part as { rule?: unknown; flags?: unknown };
    if (typeof flags === "string") found.push({ source: String(rule), flags });
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
