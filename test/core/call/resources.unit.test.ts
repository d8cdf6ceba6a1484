/** What it costs to find the resource of a URI. */
import { afterEach, expect, it, vi } from "vitest";
import { findResource } from "../../../src/core/call/resources.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Decodes and finds nothing. @returns how many texts it has decoded */
function decodingsOf(uri: string, resources: number): number {
  const decode = vi.spyOn(globalThis, "decodeURIComponent");
  const entries = Array.from({ length: resources }, (_, at) => ({ uri: at === 0 ? "manual://{id}" : `x://${at}` }));
  const catalog = { allResources: entries, resources: () => entries };
  expect(findResource({ catalog } as never, undefined, uri)).toBeUndefined();
  const { length } = decode.mock.calls;
  decode.mockRestore();
  return length;
}

it.each(["/", "%2F", "?", "#"])(
  "how often a URI with many %s is decoded does not grow with its length times the number of resources",
  (delimiter) => {
    for (const end of ["", "/%20?a#b"]) {
      const uri = `manual://x${delimiter.repeat(1_800 / delimiter.length)}${end}`;
      const more = decodingsOf(uri, 300) - decodingsOf(uri, 1);
      // The parts of the 299 others: "x:", "/", "", "/" and the name.
      expect(more).toBeLessThanOrEqual(299 * 10);
    }
  },
);
