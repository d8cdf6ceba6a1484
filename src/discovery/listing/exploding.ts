/**
 * Finds patterns that may take exponential time: a repetition in a repetition, such as `^(\\w+\\s?)*$`, tries each of
 * the ways in which a text can be divided (CWE-1333). Callers choose the texts.
 */
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { type Part, partsOf } from "./parts.ts";

/** A pattern, and the path of the parameter that it is for; the path is empty if that is not known. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
  readonly path: Part["path"];
}

/**
 * @param input the schema of the input, before it is rewritten for listings
 * @param regexes those in the library's schema, which may check more of them than it lists
 */
export async function explodingIn(
  input: JsonSchema,
  regexes: readonly { readonly source: string; readonly flags: string }[],
): Promise<readonly Pattern[]> {
  const listed = [...partsOf(input)].flatMap(({ schema: { pattern }, path }) =>
    typeof pattern === "string" ? [{ source: pattern, flags: "u", path }] : [],
  );
  const unlisted = regexes.filter(({ source }) => !listed.some((pattern) => pattern.source === source));
  const patterns = [...listed, ...unlisted.map((regex) => ({ ...regex, path: [] }))].filter(repeatsGroup);
  if (patterns.length === 0) return [];
  // Loaded only here, because few patterns repeat a group.
  const { analyse } = await import("scslre");
  return patterns.filter(({ source, flags }) => {
    try {
      return analyse({ source, flags }).reports.some(({ exponential }) => exponential);
    } catch {
      // A pattern that is not valid is reported elsewhere.
      return false;
    }
  });
}

function repeatsGroup({ source }: Pattern): boolean {
  return /\)[*+{]/.test(source);
}
