/** Reading a body of unknown length, whose sender may stall. */
import { expect, it } from "vitest";
import { readUpTo } from "../../../src/core/lib/read-up-to.ts";

const stalling = () => new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array(1)) });

it("ends when its time is over", async () => {
  const controller = new AbortController();
  const reading = readUpTo(stalling(), 10, controller.signal);
  controller.abort(new Error("over"));
  await expect(reading).rejects.toThrow("over");
});

it("does not begin when its time was over before: nothing would end it", async () => {
  await expect(readUpTo(stalling(), 10, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
});

it("gives the bytes of a body that is small enough, and nothing of a larger one", async () => {
  const pieces = [new Uint8Array([1, 2]), new Uint8Array([3])];
  expect(await (await readUpTo(pieces, 3))?.bytes()).toEqual(new Uint8Array([1, 2, 3]));
  expect(await readUpTo(pieces, 2)).toBeUndefined();
});

it("keeps none of the pieces, whose buffers may be much larger than they are", async () => {
  // It is used again: a piece that was kept would change.
  const buffer = new Uint8Array(65_536);
  const digits = new TextEncoder().encode("0123456789");
  const pieces = function* () {
    for (let at = 0; at < 10_000; at++) {
      buffer[0] = digits[at % 10] as number;
      yield buffer.subarray(0, 1);
    }
  };
  expect(await (await readUpTo(pieces(), 10_000))?.text()).toBe("0123456789".repeat(1_000));
  expect(await readUpTo(pieces(), 9_999)).toBeUndefined();
});
