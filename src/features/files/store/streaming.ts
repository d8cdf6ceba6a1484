/** Writes bodies to the bucket while they arrive: a Worker has 128 MB for everything. */

/** How long a body may pause, in milliseconds. */
export const PAUSE_MS = 30_000;
/** Bytes that must arrive in {@link PAUSE_MS}, unless the body ends. Read together: each read takes 14 µs of CPU. */
export const MIN_PROGRESS = 1_024;

/** How it ended: the SHA-256 of the body, in hex, or why it was not stored. */
export type Stored = { readonly hash: string } | "cut off" | "stalled" | "expired";

/**
 * @param until when it must have arrived, in milliseconds since 1970
 * @returns "cut off" if it ends early or is longer than `size`; "stalled" if it pauses for too long; "expired" if it
 *          has not arrived in time. Rejects if R2 fails
 */
export async function storeBody(
  bucket: R2Bucket,
  key: string,
  body: ReadableStream<Uint8Array> | null,
  size: number,
  sha256: string | undefined,
  until: number,
): Promise<Stored> {
  // R2 takes no body of unknown length, and stores nothing if the length turns out to be wrong.
  const { readable, writable } = new FixedLengthStream(size);
  const digest = new crypto.DigestStream("SHA-256");
  // If the body ends early, nobody asks for the hash.
  digest.digest.catch(() => {});
  const pumping = pump(body, until, writable.getWriter(), digest.getWriter());
  const storing = bucket.put(key, readable, sha256 === undefined ? {} : { sha256 });
  const [pumped, stored] = await Promise.allSettled([pumping, storing]);
  if (pumped.status === "rejected" && pumped.reason === STALLED) return "stalled";
  if (pumped.status === "rejected" && pumped.reason === EXPIRED) return "expired";
  if (pumped.status === "rejected" || pumped.value !== size) return "cut off";
  const hash = new Uint8Array(await digest.digest).toHex();
  // If the hash is not the declared one, R2 has refused it, and the caller says so.
  if (stored.status === "rejected" && (sha256 === undefined || sha256 === hash)) throw stored.reason;
  return { hash };
}

/** The most that is read at once, in bytes. */
const PIECE_BYTES = 65_536;

/**
 * Writes each piece when all writers have taken the one before. Reuses one buffer: with a new one for each piece, an
 * upload of 95 MB takes four times as long, and leaves 90 MB of garbage.
 *
 * @returns the length of the body
 */
async function pump(
  body: ReadableStream<Uint8Array> | null,
  until: number,
  ...writers: WritableStreamDefaultWriter<Uint8Array>[]
): Promise<number> {
  let size = 0;
  const reader = body?.getReader({ mode: "byob" });
  try {
    let piece = new Uint8Array(PIECE_BYTES);
    while (reader) {
      const { done, value } = await inTime(reader.readAtLeast(MIN_PROGRESS, new Uint8Array(piece.buffer)), until);
      if (done) break;
      piece = value;
      size += piece.byteLength;
      await Promise.all(writers.map((writer) => writer.write(piece)));
    }
    await Promise.all(writers.map((writer) => writer.close()));
    return size;
  } catch (error) {
    // Otherwise a read that is still pending would keep its buffer.
    reader?.cancel(error).catch(() => {});
    await Promise.allSettled(writers.map((writer) => writer.abort(error)));
    throw error;
  }
}

const STALLED = new Error("The body has paused for too long");
const EXPIRED = new Error("The body has taken too long");

async function inTime<Value>(reading: Promise<Value>, until: number): Promise<Value> {
  const tooLate = Promise.withResolvers<never>();
  const leftMs = until - Date.now();
  const timer = setTimeout(() => tooLate.reject(leftMs < PAUSE_MS ? EXPIRED : STALLED), Math.min(PAUSE_MS, leftMs));
  try {
    return await Promise.race([reading, tooLate.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** @returns the SHA-256 of a body, in hex */
export async function hashOf(body: ReadableStream): Promise<string> {
  const digest = new crypto.DigestStream("SHA-256");
  await body.pipeTo(digest);
  return new Uint8Array(await digest.digest).toHex();
}
