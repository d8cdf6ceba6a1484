/**
 * Reads a body of unknown length, up to a maximum.
 *
 * @param most   in bytes
 * @param signal if it is aborted, reading ends and rejects with the signal's reason
 * @returns undefined if the body has more than `most` bytes
 */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
  signal?: AbortSignal,
): Promise<Blob | undefined> {
  signal?.throwIfAborted();
  const ended = new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const reader = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  const stop = () => void Promise.resolve(reader.return?.()).catch(() => {});
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.next(), ended]);
      if (done) return new Blob(pieces as Uint8Array<ArrayBuffer>[]);
      size += value.byteLength;
      if (size > most) break;
      pieces.push(value);
    }
  } catch (error) {
    stop();
    throw error;
  }
  stop();
  return undefined;
}
