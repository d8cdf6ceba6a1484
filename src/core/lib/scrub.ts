/** Removes secrets from the messages and logs of a call: a tool may throw or log text that contains one. */
import { isRecord, type Json } from "./json.ts";

export type Scrub = (text: string) => string;

/** Shorter secrets occur in ordinary words: removing them would hide more than it protects. */
const MIN_LENGTH = 4;
const REDACTED = "[redacted]";

/**
 * Returns a function that replaces secrets in a text by `[redacted]`.
 *
 * @param secrets are also found if they are encoded for URLs or forms, as Base64, numbers, JSON, or JSON within JSON
 */
export function scrubber(secrets: readonly string[]): Scrub {
  // People easily paste a trailing newline into a secret, and the code that uses the secret trims it.
  const texts = new Set(secrets.flatMap((secret) => [secret, secret.trim()]));
  const spellings = [...texts].filter(({ length }) => length >= MIN_LENGTH).flatMap(spellingsOf);
  if (spellings.length === 0) return (text) => text;
  const tables = new Tables();
  return (text) => {
    const fitting = spellings.filter(({ length }) => length <= text.length).map(({ make }) => make());
    return withoutRanges(text, rangesOf([...new Set(fitting)], text, tables));
  };
}

/**
 * One way to spell a secret. It is made for each text that is as long, and not kept: a caller may send a secret of 16,384
 * characters, whose spellings have millions. Making one takes no longer than searching for it.
 */
interface Spelling {
  readonly length: number;
  make(): string;
}

function spellingsOf(secret: string): Spelling[] {
  // JSON can contain a lone surrogate, but URLs cannot: encoders replace it or throw.
  const wellFormed = secret.toWellFormed();
  const made = [
    ...IN_TEXT.map((spell) => () => spell(secret)),
    ...IN_URL.flatMap((spell) => [() => spell(wellFormed), () => inLowerCase(spell(wellFormed))]),
    ...IN_BASE64.map((spell) => () => spell(wellFormed)),
  ];
  // Of a short secret, they are kept: it is the usual one, and each line that is logged is searched for it.
  const isShort = secret.length <= MAX_KEPT;
  return made.flatMap((make) => {
    const spelling = make();
    const { length } = spelling;
    if (length < MIN_LENGTH) return [];
    return { length, make: isShort ? () => spelling : make };
  });
}

/** The most characters of a secret whose spellings are kept. */
const MAX_KEPT = 512;

/** Makes room for the table of a search, and keeps that of the last one unless it is large. */
class Tables {
  #last: Int32Array | undefined;

  /** @returns a table of zeros, at least as long */
  ofLength(length: number): Int32Array {
    if (length > MAX_TABLE) return new Int32Array(length);
    if (this.#last === undefined || this.#last.length < length) this.#last = new Int32Array(length);
    return this.#last.fill(0, 0, length);
  }
}

/** The most numbers of a table that is kept. */
const MAX_TABLE = 32_768;

type Range = readonly [from: number, to: number];

/** Searches the original text for all spellings. Removing them one by one would leave parts of overlapping ones. */
function rangesOf(spellings: readonly string[], text: string, tables: Tables): Range[] {
  return spellings.flatMap((spelling) => occurrences(spelling, text, tables)).sort(([a], [b]) => a - b);
}

/**
 * All occurrences of a spelling in a text; those that overlap become one range. Takes linear time (Knuth-Morris-Pratt),
 * because a caller chooses both texts: repeated `indexOf` would take minutes on a text of one repeated letter.
 */
function occurrences(spelling: string, text: string, tables: Tables): Range[] {
  const borders = bordersOf(spelling, tables);
  const ranges: [from: number, to: number][] = [];
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = matchedAfter(text.charCodeAt(at), spelling, borders, matched);
    if (matched < spelling.length) continue;
    const [from, to] = [at + 1 - spelling.length, at + 1];
    const last = ranges.at(-1);
    if (last && from < last[1]) last[1] = to;
    else ranges.push([from, to]);
    matched = borders[matched] ?? 0;
  }
  return ranges;
}

/** For each prefix of the spelling, by length: the length of the longest text that it both begins and ends with. */
function bordersOf(spelling: string, tables: Tables): Int32Array {
  const borders = tables.ofLength(spelling.length + 1);
  for (let at = 1; at < spelling.length; at++) {
    borders[at + 1] = matchedAfter(spelling.charCodeAt(at), spelling, borders, borders[at] ?? 0);
  }
  return borders;
}

/** Length of the spelling's prefix that is matched after one more letter. */
function matchedAfter(letter: number, spelling: string, borders: Int32Array, matched: number): number {
  let length = matched;
  while (length > 0 && spelling.charCodeAt(length) !== letter) length = borders[length] ?? 0;
  return spelling.charCodeAt(length) === letter ? length + 1 : length;
}

/** @param ranges sorted; overlapping ranges are replaced as one */
function withoutRanges(text: string, ranges: readonly Range[]): string {
  let scrubbed = "";
  let end = 0;
  for (const [from, to] of ranges) {
    if (from >= end) scrubbed += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return scrubbed + text.slice(end);
}

type Spell = (text: string) => string;

// For a PIN that a tool read with Number(). For other secrets this is "NaN", which is too short to be searched for.
const IN_TEXT: readonly Spell[] = [
  (text) => text,
  (text) => String(Number(text)),
  inJson,
  (text) => inJson(inJson(text)),
];

/** Each part of a URL leaves different characters unescaped (URL Standard, percent-encode sets). */
const IN_URL: readonly Spell[] = [
  (text) => encodeURIComponent(text),
  (text) => encodeURI(text),
  (text) => new URLSearchParams([["", text]]).toString().slice(1),
  inPartOfUrl("username"),
  inPartOfUrl("password"),
  inPartOfUrl("pathname", 1),
  inPartOfUrl("search", 1),
  inPartOfUrl("hash", 1),
];

/** Base64 spells a text in one of three ways, depending on what precedes it, such as the user's name in `Basic`. */
const IN_BASE64: readonly Spell[] = [0, 1, 2].flatMap((before) => [
  inBase64(before, "base64"),
  inBase64(before, "base64url"),
]);

function inLowerCase(inUrl: string): string {
  return inUrl.replace(/%../g, (byte) => byte.toLowerCase());
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** @param delimiters characters that the URL puts before the part */
function inPartOfUrl(part: "username" | "password" | "pathname" | "search" | "hash", delimiters = 0): Spell {
  return (text) => {
    const url = new URL("https://host.invalid/");
    url[part] = text;
    return url[part].slice(delimiters);
  };
}

function inBase64(before: number, alphabet: "base64" | "base64url"): Spell {
  return (text) => {
    const bytes = new TextEncoder().encode(text);
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    // Leave out letters at the edges that also encode bits of the neighbouring text.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6)];
    return shifted.toBase64({ alphabet }).slice(from, to);
  };
}

/**
 * Removes secrets from every text in a JSON value, including names of members. A number is replaced only if all of it
 * is secret, because short secrets occur in many times and amounts.
 */
export function scrubJson(value: Json, scrub: Scrub): Json {
  if (typeof value === "string") return scrub(value);
  if (typeof value === "number") return scrub(String(Math.abs(value))) === REDACTED ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => scrubJson(item, scrub));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [scrub(name), scrubJson(member, scrub)]));
}
