/** The guard around what the sign-in's library fetches: outside.node.test.ts says what it refuses. */
import { afterEach, expect, it } from "vitest";
import { guardLibrary } from "../../src/sign-in/guard-globals.ts";

const own = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = own;
});

it("is put around the global fetch once, however often it is asked for", () => {
  guardLibrary(() => {});
  const guarded = globalThis.fetch;
  guardLibrary(() => {});
  expect(guarded).not.toBe(own);
  expect(globalThis.fetch).toBe(guarded);
});
