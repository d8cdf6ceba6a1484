/** The guard around the fetches of the sign-in library. outside.node.test.ts tests what it refuses. */
import { afterEach, describe, expect, it } from "vitest";
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

describe("an answer to the library", () => {
  const answer = (sizes: readonly number[], status = 201) => {
    const { readable: pieces, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    void (async () => {
      for (const size of sizes) await writer.write(new Uint8Array(size));
      await writer.close();
    })().catch(() => {});
    globalThis.fetch = async () => new Response(pieces, { status, headers: { "x-a": "b" } });
    guardLibrary(() => {});
    return fetch("https://app.example/client.json", { headers: { "user-agent": "workers-oauth-provider/1" } });
  };

  it("has a body in one piece", async () => {
    const { status, headers, body } = await answer([1, 1, 1]);
    expect([status, headers.get("x-a")]).toEqual([201, "b"]);
    const sizes = [];
    for await (const piece of body as ReadableStream<Uint8Array>) sizes.push(piece.length);
    expect(sizes).toEqual([3]);
  });

  it("has at most 16 KiB", async () => {
    expect(await (await answer([16_383, 1])).text()).toHaveLength(16_384);
    await expect(answer([16_383, 2])).rejects.toThrow("16384");
  });

  it("that is an error has its status, and no body", async () => {
    const { status, body } = await answer([16_383, 2], 404);
    expect([status, body]).toEqual([404, null]);
  });
});
