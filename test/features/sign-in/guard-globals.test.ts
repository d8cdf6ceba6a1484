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

it("gives the library a body in one piece", async () => {
  const headers = { "user-agent": "workers-oauth-provider/1" };
  const answer = (...sizes: number[]) => {
    const { readable: pieces, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    void (async () => {
      for (const size of sizes) await writer.write(new Uint8Array(size));
      await writer.close();
    })().catch(() => {});
    globalThis.fetch = async () => new Response(pieces, { status: 201, headers: { "x-a": "b" } });
    guardLibrary(() => {});
    return fetch("https://app.example/client.json", { headers });
  };
  const { status, headers: got, body } = await answer(1, 1, 1);
  expect([status, got.get("x-a")]).toEqual([201, "b"]);
  const sizes = [];
  for await (const piece of body as ReadableStream<Uint8Array>) sizes.push(piece.length);
  expect(sizes).toEqual([3]);
  expect(await (await answer(16_383, 1)).text()).toHaveLength(16_384);
  await expect(answer(16_383, 2)).rejects.toThrow("16384");
});
