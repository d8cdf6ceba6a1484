/** Builds forks of this project as they deploy: with the benchmark's tools, or with any number of generated ones. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "../support/node/build.ts";
import { makeFork } from "../support/node/fork.ts";

const ADD = readFileSync(resolve(import.meta.dirname, "tools/sums/add.ts"), "utf8");
/** How many tools a toolkit has. */
const TOOLKIT_SIZE = 20;

/** Sources of this many tools. The first is Sums.Add; the others are copies of it, in toolkits of twenty. */
export function manyTools(count: number): Record<string, string> {
  const files: Record<string, string> = { "sums/add.ts": ADD };
  for (let index = 1; index < count; index++) {
    const toolkit = `group-${String(Math.floor(index / TOOLKIT_SIZE)).padStart(2, "0")}`;
    const name = `tool-${String(index + 1).padStart(4, "0")}`;
    files[`${toolkit}/${name}.ts`] = ADD.replace(
      "Adds two numbers together.",
      `Adds two numbers, as number ${index + 1}.`,
    );
  }
  return files;
}

/**
 * Returns the module that `wrangler deploy` would upload, minified.
 * @param closed whether it can check every kind of credential
 */
export async function built(tools: string | Record<string, string>, { closed = false } = {}): Promise<string> {
  const fork = makeFork(tools, { closed });
  try {
    await build(fork);
    return readFileSync(resolve(fork.root, "dist/index.js"), "utf8");
  } finally {
    fork.remove();
  }
}
