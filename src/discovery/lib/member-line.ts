/** Finds the line of a member in the source of a definition, for messages. */

/** A member of an object: `version: "1.0.0",`, `run({ a }) {`, `async run() {`, or `scopes,` alone. */
const MEMBER = /^(\s+)(?:async\s+)?\*?\s*["']?([\w$-]+)["']?\s*[:(,]/;

/**
 * @param source text of a file with one definition
 * @param member of the definition itself, not of an object in it
 * @returns its line, the first being 1; that of `export default` if the definition has no such line, and undefined if
 *   there is no `export default` either
 */
export function lineOfMember(source: string, member: string): number | undefined {
  const lines = source.split("\n");
  const start = lines.findIndex((line) => line.startsWith("export default"));
  if (start < 0) return undefined;
  // Members of objects within the definition are indented further than its first member.
  const first = lines.slice(start + 1).find((line) => MEMBER.test(line)) ?? "";
  const indent = MEMBER.exec(first)?.[1];
  const at = lines.findIndex((line, number) => {
    const [, own, name] = MEMBER.exec(line) ?? [];
    return number > start && own === indent && name === member;
  });
  return (at < 0 ? start : at) + 1;
}
