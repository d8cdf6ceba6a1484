/** A number in the README, held by this test: of the core, as the tools of a fork are its owner's. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { BUDGET_KIB, coreSize } from "./size.ts";

it(`a fork with one tool deploys in under ${BUDGET_KIB} KiB gzip, as the README says`, () => {
  const size = coreSize();
  console.log(`upload: ${size} KiB gzip`);
  expect(size).toBeGreaterThan(10);
  expect(size).toBeLessThan(BUDGET_KIB);
  expect(readFileSync(resolve(import.meta.dirname, "../README.md"), "utf8")).toContain(`under ${BUDGET_KIB} KiB`);
});
