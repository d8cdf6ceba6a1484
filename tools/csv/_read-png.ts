/** For tests: reads back a PNG of indexed colours, and checks it as a viewer does. */

export interface Read {
  readonly width: number;
  readonly height: number;
  /** For each column of pixels, how many have this colour. */
  heightsOf(colour: string): number[];
}

/** @throws if it is no PNG: a signature, chunks with right checksums, and as many pixels as it says */
export async function pictureIn(base64: string): Promise<Read> {
  const bytes = Uint8Array.fromBase64(base64);
  const view = new DataView(bytes.buffer);
  if (bytes.slice(0, 8).toHex() !== "89504e470d0a1a0a") throw new Error("no signature");
  const chunks = new Map<string, Uint8Array<ArrayBuffer>>();
  for (let at = 8; at < bytes.length; ) {
    const length = view.getUint32(at);
    const name = new TextDecoder().decode(bytes.slice(at + 4, at + 8));
    const contents = bytes.slice(at + 8, at + 8 + length);
    if (view.getUint32(at + 8 + length) !== (await checksum(bytes.slice(at + 4, at + 8 + length)))) {
      throw new Error(`${name} has a wrong checksum`);
    }
    chunks.set(name, contents);
    at += length + 12;
  }
  if ([...chunks.keys()].join(" ") !== "IHDR PLTE IDAT IEND") throw new Error("other chunks");
  const header = new DataView((chunks.get("IHDR") as Uint8Array<ArrayBuffer>).buffer);
  const [width, height] = [header.getUint32(0), header.getUint32(4)];
  const inflated = new Blob([chunks.get("IDAT") as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const rows = new Uint8Array(await new Response(inflated).arrayBuffer());
  if (rows.length !== (width + 1) * height) throw new Error("too many or too few pixels");
  const palette: string[] = (chunks.get("PLTE") as Uint8Array).toHex().match(/.{6}/g) ?? [];
  return {
    width,
    height,
    heightsOf(colour) {
      const index = palette.indexOf(colour.slice(1));
      const heightAt = (x: number) =>
        Array.from({ length: height }, (_, y) => rows[y * (width + 1) + 1 + x]).filter((pixel) => pixel === index)
          .length;
      return Array.from({ length: width }, (_, x) => heightAt(x));
    },
  };
}

/** CRC-32 as gzip has it in its last eight bytes: not the code that wrote the picture. */
async function checksum(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const gzipped = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const end = (await new Response(gzipped).arrayBuffer()).slice(-8);
  return new DataView(end).getUint32(0, true);
}
