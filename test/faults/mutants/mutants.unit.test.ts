/** The mutants fit the source that they change: `npm run faults mutants`, which runs them, is slow. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../../support/node/project.ts";
import { MUTANTS } from "./mutants.ts";

it.each(MUTANTS)("$name changes one place, and its tests are there", ({ file, from, caughtBy }) => {
  expect(readFileSync(join(ROOT, file), "utf8").split(from)).toHaveLength(2);
  expect(caughtBy.filter((test) => !existsSync(join(ROOT, test)))).toEqual([]);
});
