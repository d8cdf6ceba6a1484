/** Takes secrets out of what is said about a call: a tool may throw or log text that holds one of those it was given. */
import { isRecord, type Json } from "./json.ts";

export type Scrub = (text: string) => string;

/** Shorter ones stand in ordinary words: taking them out would hide more than it protects. */
const LEAST = 4;
const REDACTED = "[redacted]";

/** @param secrets texts to take out, as they are and as URLs, forms, Base64, numbers, JSON and JSON within it spell them */
export function scrubber(secrets: readonly string[]): Scrub {
  // A trailing line end is easily pasted into a secret, and trimmed by who uses it.
  const texts = secrets.flatMap((secret) => [secret, secret.trim()]);
  const all = texts.filter(({ length }) => length >= LEAST).flatMap(spellingsOf);
  const different = [...new Set(all)].filter(({ length }) => length >= LEAST);
  const spellings = different.map((text): Spelling => ({ text, borders: undefined }));
  if (spellings.length === 0) return (text) => text;
  return (text) => withoutRanges(text, rangesOf(spellings, text));
}

interface Spelling {
  readonly text: string;
  /** Made when it is first looked for: a caller may send a secret that is longer than all that is said. */
  borders: Int32Array | undefined;
}

type Range = readonly [from: number, to: number];

/** All are looked for in the text as it was: if one were cut out first, the rest of another that it overlaps would stay. */
function rangesOf(spellings: readonly Spelling[], text: string): Range[] {
  return spellings.flatMap((spelling) => found(spelling, text)).sort(([a], [b]) => a - b);
}

/**
 * Where a spelling stands in a text, also where it overlaps itself: such places are one range. Takes a time that grows
 * with the sum of both lengths (Knuth, Morris and Pratt), as a caller chooses both: `indexOf` from each place on would
 * compute for minutes on a text of one letter.
 */
function found(looked: Spelling, text: string): Range[] {
  const spelling = looked.text;
  if (spelling.length > text.length) return [];
  looked.borders ??= bordersOf(spelling);
  const { borders } = looked;
  const ranges: [from: number, to: number][] = [];
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = longerBy(text.charCodeAt(at), spelling, borders, matched);
    if (matched < spelling.length) continue;
    const [from, to] = [at + 1 - spelling.length, at + 1];
    const last = ranges.at(-1);
    if (last && from < last[1]) last[1] = to;
    else ranges.push([from, to]);
    matched = borders[matched] ?? 0;
  }
  return ranges;
}

/** For each length of the spelling's beginning: the longest part that it both begins and ends with. */
function bordersOf(spelling: string): Int32Array {
  const borders = new Int32Array(spelling.length + 1);
  for (let at = 1; at < spelling.length; at++) {
    borders[at + 1] = longerBy(spelling.charCodeAt(at), spelling, borders, borders[at] ?? 0);
  }
  return borders;
}

/** How much of the spelling is matched once one more letter is read. */
function longerBy(letter: number, spelling: string, borders: Int32Array, matched: number): number {
  let length = matched;
  while (length > 0 && spelling.charCodeAt(length) !== letter) length = borders[length] ?? 0;
  return spelling.charCodeAt(length) === letter ? length + 1 : length;
}

/** @param ranges sorted; ranges that overlap are taken out as one */
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
  // Half a character, which JSON can carry, is none that a URL can: what encodes it puts another in its place, or throws.
  const wellFormed = secret.toWellFormed();
  const inUrl = [
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    new URLSearchParams([["", wellFormed]]).toString().slice(1),
    ...inPartsOfUrl(wellFormed),
  ];
  const inSmall = inUrl.map((spelling) => spelling.replace(/%../g, (byte) => byte.toLowerCase()));
  // As a PIN that was read with Number() is printed. Of what is none it is NaN: too short to be looked for.
  const inNumber = String(Number(secret));
  const json = inJson(secret);
  return [secret, inNumber, json, inJson(json), ...inUrl, ...inSmall, ...inBase64(wellFormed)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Each part of a URL has letters of its own that it leaves as they are (URL Standard, percent-encode sets). */
function inPartsOfUrl(text: string): string[] {
  const url = new URL("https://host.invalid/");
  url.username = text;
  url.password = text;
  url.pathname = text;
  url.search = text;
  url.hash = text;
  return [url.username, url.password, url.pathname.slice(1), url.search.slice(1), url.hash.slice(1)];
}

/** Base64 spells a text in one of three ways, by what goes before it: `Basic` has the user's name there. */
function inBase64(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length);
    shifted.set(bytes, before);
    // Letters at the edges that hold bits of something else as well are no part of the spelling.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((shifted.length * 8) / 6)];
    const alphabets = ["base64", "base64url"] as const;
    return alphabets.map((alphabet) => shifted.toBase64({ alphabet }).slice(from, to));
  });
}

/**
 * The same of every text in a JSON value, names of members included. A number is taken out only if all of it is secret:
 * a short secret stands in many a time and amount.
 */
export function scrubJson(value: Json, scrub: Scrub): Json {
  if (typeof value === "string") return scrub(value);
  if (typeof value === "number") return scrub(String(Math.abs(value))) === REDACTED ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => scrubJson(item, scrub));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [scrub(name), scrubJson(member, scrub)]));
}
