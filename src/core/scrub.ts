/** Takes secrets out of what is said about a call: a tool may throw or log text that holds one of those it was given. */
import { isRecord, type Json } from "./json.ts";

export type Scrub = (text: string) => string;

/** Shorter ones stand in ordinary words: taking them out would hide more than it protects. */
const LEAST = 4;
const REDACTED = "[redacted]";

/** @param secrets texts to take out, as they are and as URLs, Base64 and JSON spell them */
export function scrubber(secrets: readonly string[]): Scrub {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < LEAST) continue;
    const base64 = new TextEncoder().encode(secret).toBase64();
    for (const spelling of [secret, encodeURIComponent(secret), base64, JSON.stringify(secret).slice(1, -1)]) {
      spellings.add(spelling);
    }
  }
  if (spellings.size === 0) return (text) => text;
  // The longest first, so that none leaves the rest of another behind.
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((scrubbed, spelling) => scrubbed.replaceAll(spelling, REDACTED), text);
}

/** The same of every text in a JSON value, names of members included. */
export function scrubJson(value: Json, scrub: Scrub): Json {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubJson(item, scrub));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [scrub(name), scrubJson(member, scrub)]));
}
