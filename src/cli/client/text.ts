/**
 * Writes texts of a listing into a TypeScript file. The listing may come from any server, so no text may end the string
 * or the comment that it is written into, or mean something to the compiler.
 */

/** Control and format characters: those that end a line in some editor, or show text in another order than it has. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const LINE_ENDS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/** A JSON value as a literal. */
export function quoted(value: unknown): string {
  const escaped = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;
  return JSON.stringify(value).replace(INVISIBLE, escaped);
}

/** The name of a member, in quotes if it needs them. */
export function memberKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A text in one line, for a comment. */
export function oneLine(text: string): string {
  return linesOf(text).join(" ");
}

/**
 * @param paragraphs those that are empty are left out
 * @param pad        spaces before each line
 * @returns a comment that ends with a line break; "" without paragraphs
 */
export function docComment(paragraphs: readonly string[], pad: string): string {
  const texts = paragraphs.map((text) => linesOf(text.trim())).filter((lines) => lines.join("") !== "");
  const lines = texts.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${pad}/** ${lines[0]} */\n`;
  return `${pad}/**\n${lines.map((line) => `${pad} * ${line}`.trimEnd()).join("\n")}\n${pad} */\n`;
}

/** The lines of a text, changed so that none ends the comment or begins with a directive such as `@ts-ignore`. */
function linesOf(text: string): string[] {
  return text.split(LINE_ENDS).map((line) => {
    // These are removed first: without them, `*` and `/` may become neighbours.
    const visible = line.replaceAll("\t", "  ").replace(INVISIBLE, "").trimEnd();
    return visible.replaceAll("*/", "*\\/").replace(/^([\s*/]*)@/, "$1\\@");
  });
}
