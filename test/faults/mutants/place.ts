/** Finds where a fault goes: the one file of `src` that has its text. Files are moved and renamed, and texts stay. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Mutant } from "./mutants.ts";

const ADVICE =
  "write its `file` and `from` anew in test/faults/mutants/mutants.ts, as src is now, or put another fault there";

/**
 * @param root of a working tree
 * @returns the file, and its text with the fault
 * @throws if the text to replace is not found exactly once
 */
export function withFault({ name, file, from, to }: Mutant, root: string): { file: string; text: string } {
  const textOf = (path: string) => readFileSync(resolve(root, path), "utf8");
  const times = (path: string) => textOf(path).split(from).length - 1;
  const isThere = existsSync(resolve(root, file)) && times(file) > 0;
  const files = isThere ? [file] : globSync("src/**/*.ts", { cwd: root }).filter((path) => times(path) > 0);
  const [found, ...more] = files;
  if (found === undefined) throw new Error(`${name}: no file of src has the text that it replaces: ${ADVICE}`);
  if (more.length > 0) throw new Error(`${name}: ${files.join(" and ")} have the text that it replaces: ${ADVICE}`);
  if (times(found) > 1)
    throw new Error(`${name}: ${found} has the text that it replaces ${times(found)} times: ${ADVICE}`);
  return { file: found, text: textOf(found).replace(from, () => to) };
}
