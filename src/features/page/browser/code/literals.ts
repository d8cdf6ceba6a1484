/** Values as the text of other languages: shell words, JSON, TypeScript and Python. Any value keeps its meaning. */

/** A word of a POSIX shell that stands for exactly this text. */
export function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}

/** The same, always in quotes. */
export const quoted = (text: string) => `'${escaped(text)}'`;

/** Text for inside single quotes, which have no escape: closes them, adds a quote, and opens them again. */
export const escaped = (text: string) => text.replaceAll("'", "'\\''");

/** JSON on one line, with blanks as people write them: `{"a": 1, "b": [2, 3]}`. */
export function json(value: unknown): string {
  // In JSON, a line break is never part of a text.
  return JSON.stringify(value, undefined, 1)
    .replace(/([[{])\n */g, "$1")
    .replace(/\n *([\]}])/g, "$1")
    .replace(/\n */g, " ");
}

/** A literal of TypeScript. @param indent of the line that it begins on */
export const typescript = (value: unknown, indent = "") => literal(value, TYPESCRIPT, indent);

export const python = (value: unknown) => literal(value, PYTHON, "");

interface Language {
  /** @param text JSON of null, a boolean, a number or a text: those of numbers and texts are the same in all three */
  readonly scalar: (text: string) => string;
  readonly key: (name: string) => string;
  /** Stands between a brace and what is on the same line. */
  readonly space: string;
}

const TYPESCRIPT: Language = {
  scalar: (text) => text,
  key: (name) => {
    // A plain key of this name would set the prototype.
    if (name === "__proto__") return '["__proto__"]';
    return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  },
  space: " ",
};
const PYTHON: Language = {
  scalar: (text) => ({ null: "None", true: "True", false: "False" })[text] ?? text,
  key: (name) => JSON.stringify(name),
  space: "",
};
/** The most characters of a line. Longer literals are broken into several lines. */
const MAX_LINE = 90;

function literal(value: unknown, language: Language, indent: string): string {
  const line = flat(value, language);
  if (indent.length + line.length <= MAX_LINE) return line;
  const inner = `${indent}  `;
  const parts = partsOf(value, language, (member) => literal(member, language, inner));
  if (parts.length === 0) return line;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

/** Writes a literal on one line, however long. */
function flat(value: unknown, language: Language): string {
  if (typeof value !== "object" || value === null) return language.scalar(JSON.stringify(value) ?? "null");
  const parts = partsOf(value, language, (member) => flat(member, language)).join(", ");
  if (Array.isArray(value)) return `[${parts}]`;
  return parts === "" ? "{}" : `{${language.space}${parts}${language.space}}`;
}

/** The entries of a list or the members of an object; none if it is neither. */
function partsOf(value: unknown, language: Language, write: (member: unknown) => string): readonly string[] {
  if (Array.isArray(value)) return value.map(write);
  return Object.entries(typeof value === "object" && value !== null ? value : {})
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${language.key(name)}: ${write(member)}`);
}
