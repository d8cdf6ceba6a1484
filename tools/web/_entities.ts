/**
 * Character references as HTML 4 names them (252 names), and numbers. HTMLRewriter hands out text as it stands in the
 * source. HTML 5 has two thousand names more, for symbols that pages write as themselves.
 */

/** U+00A0 to U+00FF, in order. */
const LATIN_1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";

/** U+03B1 to U+03C9, in order; capitals are 32 before. */
const GREEK =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon " +
  "phi chi psi omega";

const OTHERS =
  "quot\" amp& lt< gt> apos' OEligŒ oeligœ ScaronŠ scaronš YumlŸ fnofƒ circˆ tilde˜ thetasymϑ upsihϒ pivϖ ndash– mdash— " +
  "lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ dagger† Dagger‡ bull• hellip… permil‰ prime′ Prime″ lsaquo‹ rsaquo› oline‾ " +
  "frasl⁄ euro€ imageℑ weierp℘ realℜ trade™ alefsymℵ larr← uarr↑ rarr→ darr↓ harr↔ crarr↵ lArr⇐ uArr⇑ rArr⇒ dArr⇓ hArr⇔ " +
  "forall∀ part∂ exist∃ empty∅ nabla∇ isin∈ notin∉ ni∋ prod∏ sum∑ minus− lowast∗ radic√ prop∝ infin∞ ang∠ and∧ or∨ cap∩ " +
  "cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ nsub⊄ sube⊆ supe⊇ oplus⊕ otimes⊗ perp⊥ sdot⋅ lceil⌈ " +
  "rceil⌉ lfloor⌊ rfloor⌋ lang⟨ rang⟩ loz◊ spades♠ clubs♣ hearts♥ diams♦ check✓ ensp\u2002 emsp\u2003 thinsp\u2009 " +
  "zwnj\u200c zwj\u200d lrm\u200e rlm\u200f";

const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(" ").map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...GREEK.split(" ").flatMap((name, index) => [
    [name, String.fromCodePoint(0x3b1 + index)] as const,
    [name.replace(/^./, (letter) => letter.toUpperCase()), String.fromCodePoint(0x391 + index)] as const,
  ]),
  // One space apart, and the last character of each is what the name stands for.
  ...OTHERS.split(" ").map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
]);

/** What pages mean by 128 to 159 (HTML, "Numeric character reference end state"). */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|([A-Za-z][A-Za-z0-9]{1,8}));?/g, (whole, ...found) => {
    const [decimal, hex, name] = found as (string | undefined)[];
    if (name === undefined) return fromNumber(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    // Without its semicolon a name may be a parameter's in an address (`?a=1&copy=2`): left as it stands.
    return whole.endsWith(";") ? (NAMED.get(name) ?? whole) : whole;
  });
}

function fromNumber(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.charAt(code - 0x80);
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}
