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
  const readAll = async (): Promise<Blob | undefined> => {
    // Grows with what arrives: a body that does not come takes nothing.
    let bytes = new Uint8Array(0);
    let size = 0;
    for (;;) {
      const { done, value } = await reader.next();
      if (done) return new Blob([bytes.subarray(0, size)]);
      const end = size + value.byteLength;
      if (end > most) return undefined;
      if (end > bytes.byteLength) {
        const longer = new Uint8Array(Math.min(most, 2 * end));
        longer.set(bytes);
        bytes = longer;
      }
      // Copied, because the runtime gives each piece a buffer of 4 KB, even if only one byte has arrived.
      bytes.set(value, size);
      size = end;
    }
  };
  try {
    // One race for all pieces: each race would keep some memory until the signal is aborted.
    return await Promise.race([readAll(), ended]);
  } finally {
    void Promise.resolve(reader.return?.()).catch(() => {});
  }
}
