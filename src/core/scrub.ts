/** Takes secrets out of what is said about a call: a tool may throw or log text that holds one of those it was given. */
import { isRecord, type Json } from "./json.ts";

export type Scrub = (text: string) => string;

/** Shorter ones stand in ordinary words: taking them out would hide more than it protects. */
const LEAST = 4;
const REDACTED = "[redacted]";

/** @param secrets texts to take out, as they are and as URLs, forms, Base64 and JSON spell them */
export function scrubber(secrets: readonly string[]): Scrub {
  // A trailing line end is easily pasted into a secret, and trimmed by who uses it.
  const texts = secrets.flatMap((secret) => [secret, secret.trim()]);
  const spellings = [...new Set(texts.filter(({ length }) => length >= LEAST).flatMap(spellingsOf))];
  if (spellings.length === 0) return (text) => text;
  return (text) => withoutRanges(text, rangesOf(spellings, text));
}

type Range = readonly [from: number, to: number];

/** All are looked for in the text as it was: if one were cut out first, the rest of another that it overlaps would stay. */
function rangesOf(spellings: readonly string[], text: string): Range[] {
  const ranges: Range[] = [];
  for (const spelling of spellings) {
    for (let at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1)) {
      ranges.push([at, at + spelling.length]);
    }
  }
  return ranges.sort(([a], [b]) => a - b);
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
  const inUrl = [encodeURIComponent(wellFormed), new URLSearchParams([["", wellFormed]]).toString().slice(1)];
  const inSmall = inUrl.map((spelling) => spelling.replace(/%../g, (byte) => byte.toLowerCase()));
  return [secret, JSON.stringify(secret).slice(1, -1), ...inUrl, ...inSmall, ...inBase64(wellFormed)];
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

/** The same of every text in a JSON value, names of members included. */
export function scrubJson(value: Json, scrub: Scrub): Json {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubJson(item, scrub));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [scrub(name), scrubJson(member, scrub)]));
}
