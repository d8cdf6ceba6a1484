/** Reads JSON that a person has typed, and says in which line it stops being JSON. */

export type Parsed = { readonly value: unknown } | { readonly problem: string };

/** The third argument of a reviver (ECMAScript 2026, JSON.parse source text access), which older browsers lack. */
type Source = { readonly source?: string } | undefined;

export function parse(text: string): Parsed {
  let rounded = "";
  const check = (_: string, value: unknown, context?: Source) => {
    rounded ||= rounds(context?.source ?? "", value);
    return value;
  };
  try {
    const value: unknown = JSON.parse(text, check);
    return rounded ? { problem: rounded } : { value };
  } catch {
    const { at, expected } = findMistake(text);
    const line = text.slice(0, at).split("\n").length;
    return {
      problem:
        at >= text.trimEnd().length ? `Line ${line}: the text ends too early.` : `Line ${line}: expected ${expected}.`,
    };
  }
}

/** @returns the problem if a number would be sent as another one; "" if it would not */
export function rounds(source: string, value: unknown): string {
  if (typeof value !== "number") return "";
  if (!Number.isFinite(value)) return "This number is too large.";
  // What is sent is String(value).
  if (!/^-?\d+$/.test(source) || source === String(value) || BigInt(source) === BigInt(value)) return "";
  return `${source} would be rounded to ${BigInt(value)}.`;
}

const STRING = /\s*"(?:[^"\\\p{Cc}]|\x7f|[\x80-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const SCALAR = /\s*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

/** Where a text stops being JSON, and what would have to be there. */
function findMistake(text: string): { at: number; expected: string } {
  let at = 0;
  let expected = "";
  const eat = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const need = (pattern: RegExp, words: string) => {
    if (eat(pattern)) return true;
    expected ||= words;
    return false;
  };
  const members = (end: RegExp, words: string, member: () => boolean): boolean => {
    if (eat(end)) return true;
    do if (!member()) return false;
    while (eat(/\s*,/y));
    return need(end, words);
  };
  const value = (): boolean => {
    if (eat(/\s*\{/y))
      return members(
        /\s*\}/y,
        "a comma or }",
        () => need(STRING, "a name in double quotes") && need(/\s*:/y, "a colon") && value(),
      );
    if (eat(/\s*\[/y)) return members(/\s*\]/y, "a comma or ]", value);
    return eat(STRING) || need(SCALAR, "a value");
  };
  if (value()) expected = "nothing more";
  at += text.slice(at).match(/^\s*/)?.[0].length ?? 0;
  return { at, expected };
}
