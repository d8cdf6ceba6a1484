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
