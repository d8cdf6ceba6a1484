/** A number in the README, held by this test. Tools of a fork are its own: without the shipped ones only the core counts. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { BUDGET_KIB, uploadSize } from "./size.ts";

const ROOT = resolve(import.meta.dirname, "..");

it(`deploys in under ${BUDGET_KIB} KiB gzip, as the README says`, () => {
  const size = uploadSize(ROOT);
  console.log(`upload: ${size} KiB gzip`);
  expect(size).toBeLessThan(BUDGET_KIB);
  expect(readFileSync(resolve(ROOT, "README.md"), "utf8")).toContain(`under ${BUDGET_KIB} KiB`);
});
