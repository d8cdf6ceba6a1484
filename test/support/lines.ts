/** Reads the line streams of stores. */
import { readLines } from "../../src/core/lib/read-lines.ts";

/** Returns the next non-empty lines, then cancels the stream. */
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

/** Returns all lines until the other side ends the stream. */
export function all(source: ReadableStream<Uint8Array> | undefined): Promise<string[]> {
  return take(Number.POSITIVE_INFINITY, source);
}
