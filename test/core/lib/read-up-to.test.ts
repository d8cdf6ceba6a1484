/** Reading a body of unknown length, whose sender may stall. */
import { expect, it } from "vitest";
import { readUpTo } from "../../../src/core/lib/read-up-to.ts";

/** A byte stream, like the body of a request. */
function body(pieces: Iterable<Uint8Array>, end = true): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  void (async () => {
    for (const piece of pieces) await writer.write(piece);
    if (end) await writer.close();
  })().catch(() => {});
  return readable;
}
const stalling = () => body([new Uint8Array(1)], false);

it("ends when its time is over", async () => {
  const controller = new AbortController();
  const reading = readUpTo(stalling(), 10, controller.signal);
  controller.abort(new Error("over"));
  await expect(reading).rejects.toThrow("over");
});

it("does not begin when its time was over before: nothing would end it", async () => {
  await expect(readUpTo(stalling(), 10, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
});

it.each([0, 1, 3, 4_095, 4_096, 4_097, 8_192, 8_193, 100_000])(
  "returns the %d bytes of a body within the limit, and undefined for a longer one",
  async (size) => {
    const whole = Uint8Array.from({ length: size }, (_, at) => at % 251);
    const pieces = () =>
      body([whole.subarray(0, size / 3), whole.subarray(size / 3)].filter(({ length }) => length > 0));
    for (const most of [size, size + 1, 10 * size + 1])
      expect(await (await readUpTo(pieces(), most))?.bytes()).toEqual(whole);
    if (size > 0) expect(await readUpTo(pieces(), size - 1)).toBeUndefined();
  },
);

it("returns an empty blob if there is no body", async () => {
  expect((await readUpTo(null, 10))?.size).toBe(0);
});

it("asks for many bytes at once: the runtime takes memory and time for each piece, even if only one byte has arrived", async () => {
  const bytes = new TextEncoder().encode("0123456789".repeat(2_000));
  const stream = body(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)));
  const reader = stream.getReader({ mode: "byob" });
  const asked: number[] = [];
  const counted = {
    getReader: () => ({
      readAtLeast(least: number, view: Uint8Array) {
        asked.push(least);
        return reader.readAtLeast(least, view);
      },
      cancel: () => reader.cancel(),
    }),
  } as never;
  expect(await (await readUpTo(counted, 1_000_000))?.text()).toBe("0123456789".repeat(2_000));
  expect(asked).toEqual([4_096, 4_096, 8_192, 16_384]);
});
