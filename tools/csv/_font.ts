/** Letters of 5 × 8 dots for pictures: ASCII, without accents. */

export const LETTER_WIDTH = 5;
export const LETTER_HEIGHT = 8;

/** From the space on: five bytes for each letter, a byte for each column, with its top dot in the lowest bit. */
const COLUMNS = `
  0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649552250 0000070000
  001c224100 0041221c00 082a1c2a08 08083e0808 00a0600000 0808080808 0060600000 2010080402
  3e5149453e 00427f4000 4261514946 2141454b31 1814127f10 2745454539 3c4a494930 0171090503
  3649494936 064949291e 0036360000 0056360000 0008142241 1414141414 4122140800 0201510906
  324979413e 7e1111117e 7f49494936 3e41414122 7f4141221c 7f49494941 7f09090901 3e4149497a
  7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f020c027f 7f0408107f 3e4141413e
  7f09090906 3e4151215e 7f09192946 4649494931 01017f0101 3f4040403f 1f2040201f 3f4038403f
  6314081463 0708700807 6151494543 007f414100 0204081020 0041417f00 0402010204 8080808080
  0001020400 2054545478 7f48444438 3844444420 384444487f 3854545418 087e090102 18a4a4a47c
  7f08040478 00447d4000 4080847d00 7f10284400 00417f4000 7c04180478 7c08040478 3844444438
  fc24242418 18242418fc 7c08040408 4854545420 043f444020 3c4040207c 1c2040201c 3c4030403c
  4428102844 1ca0a0a07c 4464544c44 0008364100 00007f0000 0041360800 0804081008`
  .trim()
  .split(/\s+/);

/** Some more that are common in names of columns. */
const MORE: Readonly<Record<string, string>> = {
  "°": "0006090906",
  "€": "143e555541",
  "£": "487e494342",
  µ: "fc2020103c",
  ß: "7e01495600",
};

/** As a text is drawn: "é" without its accent, and "?" for a letter that is not known. */
export function drawable(text: string): string {
  const plain = text
    .normalize("NFD")
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll("μ", "µ")
    .replaceAll("…", "...");
  return Array.from(plain, (letter) => (/[ -~]/.test(letter) || letter in MORE ? letter : "?")).join("");
}

/** Whether a letter has a dot at this place, from its top left corner. */
export function hasDot(letter: string, x: number, y: number): boolean {
  const columns = MORE[letter] ?? COLUMNS[letter.charCodeAt(0) - 32] ?? "";
  return ((Number.parseInt(columns.slice(2 * x, 2 * x + 2), 16) >> y) & 1) === 1;
}
