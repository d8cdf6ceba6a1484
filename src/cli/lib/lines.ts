/** Finds the line that a message is about. */

/** @returns the first line that matches; undefined if none does. The first line is 1 */
export function lineOf(text: string, pattern: RegExp, from = 1): number | undefined {
  const at = text.split("\n").findIndex((line, index) => index >= from - 1 && pattern.test(line));
  return at === -1 ? undefined : at + 1;
}

/**
 * A pattern for `setting = value` of a TOML file, or `"setting": value` of a JSON file, in any of their quotes. Without
 * a value, for every value.
 */
export function assigns(setting: string, value?: string): RegExp {
  const end = value === undefined ? "" : `\\s*\\[?\\s*["']?${RegExp.escape(value)}["'\\s,\\]}]?`;
  return new RegExp(`(^|[{,])\\s*["']?${RegExp.escape(setting)}["']?\\s*[=:]${end}`);
}
