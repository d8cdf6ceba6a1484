/** The list of faults does not rot: each can still be put into `src`, and the tests that should notice it exist. */
import { existsSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { withFault } from "./place.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

it("there are at least forty, each with a name of its own", () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

it.each(MUTANTS)("$name can be put into src, and is still TypeScript", (mutant) => {
  const { text } = withFault(mutant, ROOT);
  expect(text).toContain(mutant.to);
  expect(() => stripTypeScriptTypes(text)).not.toThrow();
});

it.each(MUTANTS)("$name is looked for in tests of the fast tier", ({ caughtBy }) => {
  expect(caughtBy.length).toBeGreaterThan(0);
  for (const file of caughtBy) {
    expect(file).toMatch(/(?<!\.slow)\.test\.ts$/);
    expect(existsSync(resolve(ROOT, file)), file).toBe(true);
  }
});

it("a text that src does not have, or has twice, is an error that says what to do", () => {
  const [mutant] = MUTANTS;
  if (mutant === undefined) throw new Error("there is none");
  expect(() => withFault({ ...mutant, from: "no such text anywhere in src" }, ROOT)).toThrow(
    /no file of src has .*anew/,
  );
  expect(() => withFault({ ...mutant, from: "import " }, ROOT)).toThrow(/has the text .* times: .*anew/);
  expect(() => withFault({ ...mutant, file: "src/gone.ts", from: "import " }, ROOT)).toThrow(/ and .* have the text/);
});

it("a fault is found in the file to which its own was moved", () => {
  for (const mutant of MUTANTS.slice(0, 3)) {
    expect(withFault({ ...mutant, file: "src/gone.ts" }, ROOT).file).toBe(mutant.file);
  }
});
