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
  const texts = secrets.flatMap((secret) => [secret, secret.trim()]);
  const all = texts.filter(({ length }) => length >= MIN_LENGTH).flatMap(spellingsOf);
  const different = [...new Set(all)].filter(({ length }) => length >= MIN_LENGTH);
  const spellings = different.map((text): Spelling => ({ text, borders: undefined }));
  if (spellings.length === 0) return (text) => text;
  return (text) => withoutRanges(text, rangesOf(spellings, text));
}

interface Spelling {
  readonly text: string;
  /** Computed only when it is first needed: a caller may send a secret that is longer than any text. */
  borders: Int32Array | undefined;
}

type Range = readonly [from: number, to: number];

/** Searches the original text for all spellings. Removing them one by one would leave parts of overlapping ones. */
function rangesOf(spellings: readonly Spelling[], text: string): Range[] {
  return spellings.flatMap((spelling) => occurrences(spelling, text)).sort(([a], [b]) => a - b);
}

/**
 * All occurrences of a spelling in a text; those that overlap become one range. Takes linear time (Knuth-Morris-Pratt),
 * because a caller chooses both texts: repeated `indexOf` would take minutes on a text of one repeated letter.
 */
function occurrences(wanted: Spelling, text: string): Range[] {
  const spelling = wanted.text;
  if (spelling.length > text.length) return [];
  wanted.borders ??= bordersOf(spelling);
  const { borders } = wanted;
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
function bordersOf(spelling: string): Int32Array {
  const borders = new Int32Array(spelling.length + 1);
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

function spellingsOf(secret: string): string[] {
  // JSON can contain a lone surrogate, but URLs cannot: encoders replace it or throw.
  const wellFormed = secret.toWellFormed();
  const inUrl = [
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    new URLSearchParams([["", wellFormed]]).toString().slice(1),
    ...inPartsOfUrl(wellFormed),
  ];
  const inLowerCase = inUrl.map((spelling) => spelling.replace(/%../g, (byte) => byte.toLowerCase()));
  // For a PIN that a tool read with Number(). For other secrets this is "NaN", which is too short to be searched for.
  const inNumber = String(Number(secret));
  const json = inJson(secret);
  return [secret, inNumber, json, inJson(json), ...inUrl, ...inLowerCase, ...inBase64(wellFormed)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Each part of a URL leaves different characters unescaped (URL Standard, percent-encode sets). */
function inPartsOfUrl(text: string): string[] {
  const url = new URL("https://host.invalid/");
  url.username = text;
  url.password = text;
  url.pathname = text;
  url.search = text;
  url.hash = text;
  return [url.username, url.password, url.pathname.slice(1), url.search.slice(1), url.hash.slice(1)];
}

/** Base64 spells a text in one of three ways, depending on what precedes it, such as the user's name in `Basic`. */
function inBase64(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    // Leave out letters at the edges that also encode bits of the neighbouring text.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6)];
    const alphabets = ["base64", "base64url"] as const;
    return alphabets.map((alphabet) => shifted.toBase64({ alphabet }).slice(from, to));
  });
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
