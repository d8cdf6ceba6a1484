/** Writes pictures with a palette, and films of them: PNG (W3C, third edition), whose chapter 11.3.6 is animation. */
import { crc32, deflateSync } from "node:zlib";
import { type Colors, indexed } from "./palette.ts";

/** What changes at a moment: a part of the picture. */
export interface Change {
  /** From left to right and top to bottom, four bytes each: red, green, blue, alpha. Alpha 0: stays as it was. */
  readonly pixels: Buffer;
  /** Where its top left corner is, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** How long it is shown: less than 65.5 seconds. */
  readonly ms: number;
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const BITS = 8;
const WITH_PALETTE = 3;
const MS_PER_SECOND = 1_000;
const BLEND_OVER = 1;

/**
 * @param changes the first is the whole picture. If there are more, it is a film that begins again when it ends
 */
export function png(changes: readonly Change[], colors: Colors): Buffer {
  const [{ width, height } = { width: 0, height: 0 }] = changes;
  const size = [...uint32(width), ...uint32(height)];
  const isFilm = changes.length > 1;
  let order = 0;
  const frames = changes.flatMap((change, at) => {
    const data = deflateSync(rows(change, colors), { level: 9, memLevel: 9 });
    const control = isFilm ? [chunk("fcTL", Buffer.from([...uint32(order++), ...controlOf(change)]))] : [];
    const image = at === 0 ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([Buffer.from(uint32(order++)), data]));
    return [...control, image];
  });
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", Buffer.from([...size, BITS, WITH_PALETTE, 0, 0, 0])),
    // 0: again and again.
    ...(isFilm ? [chunk("acTL", Buffer.from([...uint32(changes.length), ...uint32(0)]))] : []),
    chunk("PLTE", Buffer.from(colors.list.flatMap((color) => [...color]))),
    // The first colour is the transparent one.
    chunk("tRNS", Buffer.from([0])),
    ...frames,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function controlOf({ x, y, width, height, ms }: Change): number[] {
  const where = [width, height, x, y].flatMap(uint32);
  return [...where, ...uint16(ms), ...uint16(MS_PER_SECOND), 0, BLEND_OVER];
}

/** Each row begins with its filter: none, which is best for a palette. */
function rows({ pixels, width, height }: Change, colors: Colors): Buffer {
  const numbers = indexed(pixels, colors);
  const all = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) numbers.copy(all, row * (width + 1) + 1, row * width, (row + 1) * width);
  return all;
}

function chunk(name: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(name), data]);
  return Buffer.concat([Buffer.from(uint32(data.length)), content, Buffer.from(uint32(crc32(content)))]);
}

function uint32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}

function uint16(value: number): number[] {
  return [value >>> 8, value & 0xff];
}
