/** The lines of a stream. `cancel` ends the iteration, even while it waits for a line. */
export interface Lines extends AsyncIterable<string> {
  cancel(): void;
}

/** Splits a stream of UTF-8 text into lines. A last line without a newline is dropped. */
export function readLines(source: ReadableStream<Uint8Array>): Lines {
  const reader = source.getReader();
  async function* read(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
    }
  }
  return { [Symbol.asyncIterator]: read, cancel: () => void reader.cancel().catch(() => {}) };
}
