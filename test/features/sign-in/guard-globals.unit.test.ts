/** The guard around the fetches of the sign-in library. outside.node.test.ts tests what it refuses. */
import { afterEach, expect, it } from "vitest";
import { guardLibrary } from "../../../src/features/sign-in/guard-globals.ts";

const own = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = own;
});

it("wraps the global fetch once, however often it is called", () => {
  guardLibrary(() => {});
  const guarded = globalThis.fetch;
  guardLibrary(() => {});
  expect(guarded).not.toBe(own);
  expect(globalThis.fetch).toBe(guarded);
});

it("gives the library pieces of a body whose buffers are no longer than they are", async () => {
  const pieces = new ReadableStream({
    start(to) {
      for (const at of [0, 1, 2]) to.enqueue(new Uint8Array(4_096).subarray(at, at + 1));
      to.close();
    },
  });
  globalThis.fetch = async () => new Response(pieces, { status: 201, headers: { "x-a": "b" } });
  guardLibrary(() => {});
  const headers = { "user-agent": "workers-oauth-provider/1" };
  const { status, headers: got, body } = await fetch("https://app.example/client.json", { headers });
  expect([status, got.get("x-a")]).toEqual([201, "b"]);
  const sizes = [];
  for await (const piece of body as ReadableStream<Uint8Array>) sizes.push(piece.buffer.byteLength);
  expect(sizes).toEqual([1, 1, 1]);
});
