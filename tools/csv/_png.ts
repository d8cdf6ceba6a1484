/** Writes a picture of few colours as PNG (https://www.w3.org/TR/png-3/), with what the runtime has for compression. */

/** One byte for each pixel, row by row: the index of its colour. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  /** Up to 256 colours, such as `#1f6feb`. */
  readonly colours: readonly string[];
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Eight bits for each pixel, which are an index of the palette. */
const INDEXED = [8, 3];
/** Deflate, no filter, not interlaced. */
const PLAIN = [0, 0, 0];

export async function png({ width, height, pixels, colours }: Picture): Promise<Uint8Array<ArrayBuffer>> {
  const rows = new Uint8Array((width + 1) * height);
  // Each row begins with the number of its filter: 0, for none.
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = [...bytesOf(width), ...bytesOf(height), ...INDEXED, ...PLAIN];
  const palette = colours.flatMap((colour) => bytesOf(Number.parseInt(colour.slice(1), 16)).slice(1));
  const parts = [
    Uint8Array.from(SIGNATURE),
    chunk("IHDR", Uint8Array.from(header)),
    chunk("PLTE", Uint8Array.from(palette)),
    chunk("IDAT", await deflated(rows)),
    chunk("IEND", new Uint8Array(0)),
  ];
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The format that PNG calls zlib, and the web "deflate". */
async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Length, name, contents, and a checksum of the last two. */
function chunk(name: string, contents: Uint8Array): Uint8Array<ArrayBuffer> {
  const checked = [...new TextEncoder().encode(name), ...contents];
  return Uint8Array.from([...bytesOf(contents.length), ...checked, ...bytesOf(checksum(checked))]);
}

/** CRC-32, bit by bit: a picture is small. */
function checksum(bytes: readonly number[]): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** 32 bits, the highest first. */
const bytesOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
