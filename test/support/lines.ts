/** Reads what a store streams. */
import { readLines } from "../../src/core/ports/change-feed.ts";

/** The next lines that say something, then leaves. */
export async function take(count: number, source: ReadableStream<Uint8Array> | undefined): Promise<string[]> {
  if (source === undefined) throw new Error("there is no stream");
  const lines = readLines(source);
  const taken: string[] = [];
  for await (const line of lines) {
    if (line !== "") taken.push(line);
    if (taken.length === count) break;
  }
  lines.cancel();
  return taken;
}

/** All lines until the other side ends the stream. */
export function all(source: ReadableStream<Uint8Array> | undefined): Promise<string[]> {
  return take(Number.POSITIVE_INFINITY, source);
}
