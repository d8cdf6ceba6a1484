/** Chooses the 256 colours of a picture. A page has few, and many shades at the edges of its letters. */

type Color = readonly [red: number, green: number, blue: number];

export interface Colors {
  /** At most 256. The first stands for what is transparent. */
  readonly list: readonly Color[];
  /** The place in the list for a pixel, as red, green and blue in one number. Found when it is first asked for. */
  readonly places: Map<number, number>;
}

const MOST = 256;

/** @param pictures pixels of four bytes: red, green, blue, alpha (0 or 255) */
export function colorsOf(pictures: readonly Buffer[]): Colors {
  const counts = new Map<number, number>();
  for (const pixels of pictures) {
    for (let at = 0; at < pixels.length; at += 4) {
      if (pixels[at + 3] === 0) continue;
      const color = pixels.readUIntBE(at, 3);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  }
  const usual = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => partsOf(color));
  // The most frequent first, without those that look like one that is there. What looks alike is as strict as it can be.
  for (let tolerance = 0; ; tolerance++) {
    const list: Color[] = [[0, 0, 0]];
    for (const color of usual) {
      if (list.length <= MOST && !list.some((other, at) => at > 0 && isNear(color, other, tolerance))) list.push(color);
    }
    if (list.length <= MOST) return { list, places: new Map() };
  }
}

/** @returns a byte for each pixel: its colour's place in the list */
export function indexed(pixels: Buffer, { list, places }: Colors): Buffer {
  const numbers = Buffer.alloc(pixels.length / 4);
  for (let at = 0; at < numbers.length; at++) {
    if (pixels[at * 4 + 3] === 0) continue;
    const color = pixels.readUIntBE(at * 4, 3);
    let place = places.get(color);
    if (place === undefined) {
      place = nearest(partsOf(color), list);
      places.set(color, place);
    }
    numbers[at] = place;
  }
  return numbers;
}

function nearest(color: Color, list: readonly Color[]): number {
  let best = 1;
  for (let at = 2; at < list.length; at++) {
    if (distance(color, list[at] as Color) < distance(color, list[best] as Color)) best = at;
  }
  return best;
}

function isNear(one: Color, other: Color, tolerance: number): boolean {
  return distance(one, other) <= tolerance ** 2;
}

/** Squared. */
function distance(one: Color, other: Color): number {
  return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2;
}

function partsOf(color: number): Color {
  return [color >>> 16, (color >>> 8) & 0xff, color & 0xff];
}
