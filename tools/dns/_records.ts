/** What a resolver's JSON says, in the words of zone files: types by name, texts without quotes, CAA readable. */

export const TYPES = ["A", "AAAA", "CNAME", "MX", "NS", "TXT", "SRV", "CAA", "SOA", "PTR"] as const;

/** IANA, "Resource Record (RR) TYPEs": those above, and what comes with them where a zone is signed. */
const TYPE_NAMES: Record<number, string> = {
  1: "A",
  2: "NS",
  5: "CNAME",
  6: "SOA",
  12: "PTR",
  15: "MX",
  16: "TXT",
  28: "AAAA",
  33: "SRV",
  39: "DNAME",
  46: "RRSIG",
  257: "CAA",
};

/** One answer of the JSON format that Google's and Cloudflare's resolvers share. */
export interface Answer {
  readonly name: string;
  readonly type: number;
  readonly TTL: number;
  readonly data: string;
}

export function toRecord({ name, type, TTL, data }: Answer) {
  // RFC 3597, section 5, is how a type without a name is written.
  const typeName = TYPE_NAMES[type] ?? `TYPE${type}`;
  return { name: withoutDot(name), type: typeName, ttl: TTL, data: readable(typeName, data) };
}

export function withoutDot(name: string): string {
  return name.length > 1 && name.endsWith(".") ? name.slice(0, -1) : name;
}

function readable(type: string, data: string): string {
  if (type === "TXT") return joinTexts(data);
  // Cloudflare's resolver is changing over from the one spelling to the other.
  if (type === "CAA") return data.startsWith("\\#") ? (readCaa(data) ?? data) : data.trim();
  return data;
}

/** A long text is stored in pieces of 255 bytes: `"v=DKIM1; k" "=rsa"` is one text. */
function joinTexts(data: string): string {
  const pieces = data.match(/"(?:[^"\\]|\\.)*"/g);
  if (pieces === null) return data;
  const bytes = pieces.flatMap((piece) => unescaped(piece.slice(1, -1)));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** RFC 1035, section 5.1: `\"` is a quote, `\195` a byte. */
function unescaped(text: string): number[] {
  const encoder = new TextEncoder();
  return (text.match(/\\\d{3}|\\?[^\\]|\\\\/gsu) ?? []).flatMap((part) => {
    if (/^\\\d{3}$/.test(part)) return [Number(part.slice(1)) & 0xff];
    return [...encoder.encode(part.length > 1 && part.startsWith("\\") ? part.slice(1) : part)];
  });
}

/** `\# 22 00 05 69 …` → `0 issue "letsencrypt.org"` (RFC 3597, section 5, and RFC 8659, section 4.1). */
function readCaa(data: string): string | undefined {
  const [, , ...hex] = data.trim().split(/\s+/);
  const bytes = (hex.join("").match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const [flags, tagLength] = bytes;
  if (flags === undefined || tagLength === undefined || bytes.length < 2 + tagLength) return undefined;
  const text = String.fromCharCode(...bytes.slice(2));
  return `${flags} ${text.slice(0, tagLength)} "${text.slice(tagLength)}"`;
}
