/** HTML character references: `&amp;`, `&#8364;`, `&#x20ac;`. */

/** Common named character references, with their numbers. For others, pages use the number or the character itself. */
const NAMED = new Map(
  "amp38 lt60 gt62 quot34 apos39 nbsp160 copy169 reg174 trade153 hellip133 mdash151 ndash150 lsquo145 rsquo146 ldquo147 rdquo148 bull149 middot183 euro128 laquo171 raquo187 times215"
    .split(" ")
    .map((pair) => pair.split(/(?=\d)(?<!\d)/) as [string, string]),
);

/** The characters of windows-1252 by code. Created once, because a page may use half a million references. */
const WINDOWS_1252 = new TextDecoder("latin1").decode(Uint8Array.from({ length: 256 }, (_, code) => code));
/** Longest character reference that is recognized if it is split between two pieces of text. */
const MAX_REFERENCE = 32;

/** Where a piece of text can be cut: before a character reference that may continue in the next piece. */
export function endOfWhole(text: string): number {
  const start = text.lastIndexOf("&");
  const isOpen = start >= 0 && text.length - start <= MAX_REFERENCE && !text.includes(";", start);
  return isOpen ? start : text.length;
}

/** Replaces character references by their characters. Unknown ones stay. */
export function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#(x[\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = Number(decimal ?? (hex ? `0${hex}` : NAMED.get(name)));
    if (Number.isNaN(code)) return whole;
    // HTML, "numeric character reference end state": codes below 256 are windows-1252 (which TextDecoder calls latin1).
    if (code > 0 && code < 256) return WINDOWS_1252[code] ?? "";
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code).toWellFormed() : "\ufffd";
  });
}
