/** Reads JSON that a person wrote. */
import { Mistake } from "../../lib/mistake.ts";

/**
 * @throws {Mistake} for a whole number that would lose digits, such as an id of a social network
 * @throws {SyntaxError} for what is not JSON
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, ...more: readonly { readonly source?: string }[]) => {
    const source = more[0]?.source ?? "";
    if (typeof value === "number" && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)) {
      throw new Mistake(
        `${source} has more digits than a number can keep: write "${source}", if the tool takes a text.`,
      );
    }
    return value;
  });
}
