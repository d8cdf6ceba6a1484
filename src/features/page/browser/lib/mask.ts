/** Hides secrets in texts that are shown, however a text spells them. */

export const MASK = "•••";
/** Shorter secrets occur in ordinary words: they are hidden only where they are a whole text of JSON. */
const MIN_SECRET = 4;
/** A longer one is hidden in pieces, so that no pattern is too large. */
const MAX_PIECE = 500;
/** The most characters that spell one UTF-16 unit of a character: `\u0041` within JSON in JSON in JSON. */
const MAX_SPELLED = 13;

export interface Masking {
  /**
   * @param end how much of the text to return: from there on, a secret may be incomplete. Default: all
   * @returns the text with {@link MASK} for each secret. A secret across the end is hidden as a whole
   */
  hide(text: string, end?: number): string;
  readonly longest: number;
}

/**
 * @param secrets found as they are, as JSON spells them (also within JSON in JSON), and percent-encoded. Not in Base64
 */
export function masking(secrets: readonly string[]): Masking {
  const pieces = secrets.flatMap((secret) =>
    secret.length < MIN_SECRET ? [] : (secret.match(new RegExp(`[\\s\\S]{1,${MAX_PIECE}}`, "gu")) ?? []),
  );
  const short = secrets.filter((secret) => secret !== "" && secret.length < MIN_SECRET);
  // The longest first: one may contain another.
  const patterns = pieces.sort((a, b) => b.length - a.length).map(spellings);
  for (const secret of short) patterns.push(`(?<=")${spellings(secret)}(?=\\\\{0,7}")`);
  if (patterns.length === 0) return { hide: (text, end) => text.slice(0, end), longest: 0 };
  const pattern = new RegExp(patterns.join("|"), "g");
  return {
    longest: MAX_SPELLED * Math.max(0, ...[...pieces, ...short].map(({ length }) => length)),
    hide(text, end = text.length) {
      let hidden = "";
      let at = 0;
      for (const { 0: found, index } of text.matchAll(pattern)) {
        if (index >= end) break;
        hidden += text.slice(at, index) + MASK;
        at = index + found.length;
      }
      return hidden + text.slice(at, Math.max(at, end));
    },
  };
}

/** Each level of JSON doubles the backslashes. Limited, so that a search through many of them is quick. */
const ESCAPE = String.raw`\\{1,8}`;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t" };

/** @returns a pattern of all spellings of a secret */
function spellings(secret: string): string {
  return secret.replace(/\\+|[\s\S]/gu, (part) => {
    if (!part.startsWith("\\")) return spelling(part);
    const { length } = part;
    return `(?:\\\\{${length},${8 * length}}|(?:${ESCAPE}u005[cC]|%5[cC]){${length}})`;
  });
}

function spelling(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => `${ESCAPE}u${hex(character.charCodeAt(at), 4)}`);
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%${hex(byte, 2)}`);
  const all = [
    /[\w]/.test(character) ? character : character.replace(/[\^$.*+?()[\]{}|/-]/, "\\$&"),
    units.join(""),
    bytes.join(""),
  ];
  if (/["/]/.test(character)) all.push(ESCAPE + character);
  if (character === " ") all.push("\\+");
  const short = SHORT_ESCAPES[character];
  if (short) all.push(ESCAPE + short);
  return `(?:${all.join("|")})`;
}

/** Digits in either case. */
function hex(number: number, digits: number): string {
  const text = number.toString(16).padStart(digits, "0");
  return text.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
