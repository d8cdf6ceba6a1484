/** Reads a body of unknown length. @returns undefined as soon as it has more than `most` bytes */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<Blob | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > most) return undefined;
    pieces.push(piece);
  }
  return new Blob(pieces as Uint8Array<ArrayBuffer>[]);
}
