/** Finds the line of wrangler.toml that a refusal is about. */

/** What a line of a table says of one of its entries. */
export interface About {
  /** The table, such as `r2_buckets`, or `env.staging`. */
  readonly key: string;
  /** What binds the entry, or what it is. */
  readonly name: string;
  /** The member that is refused, if it is not the entry as a whole. */
  readonly member?: string | undefined;
}

/** @returns the first line of the table that is about it; if there is none, the table's first line. The first line is 1 */
export function lineAbout(text: string, { key, name, member }: About): number | undefined {
  const word = RegExp.escape(key);
  const heading = new RegExp(`^\\s*\\[+\\s*["']?${word}["']?\\s*[.\\]]`);
  const assignment = new RegExp(`^\\s*["']?${word}["']?\\s*[.=]`);
  const value = `["']${RegExp.escape(name)}["']`;
  const about = new RegExp(
    member === undefined
      ? `(^|[{,])\\s*["']?(binding|name|service|queue|dead_letter_queue|tag)["']?\\s*=\\s*${value}|^\\s*\\[+\\s*${word}\\s*\\.\\s*["']?${RegExp.escape(name)}["']?\\s*[.\\]]`
      : `(^|[{,.])\\s*["']?${RegExp.escape(member)}["']?\\s*[=\\]]`,
  );
  let first: number | undefined;
  let isTop = true;
  let isInside = false;
  for (const [at, line] of text.split("\n").entries()) {
    if (/^\s*\[+[^[\],{]+\]+\s*(#.*)?$/.test(line)) {
      isTop = false;
      isInside = heading.test(line);
    } else if (isTop && assignment.test(line)) isInside = true;
    if (!isInside || /^\s*#/.test(line)) continue;
    first ??= at + 1;
    if (about.test(line)) return at + 1;
  }
  return first;
}
