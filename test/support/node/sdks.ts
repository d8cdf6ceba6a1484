/** Installs packages that only the test of one page needs: the SDKs of models, and a web framework. */

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { execFileSync } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const FILES = ["package.json", "package-lock.json"];

/**
 * The SDKs are 186 MiB in 163 packages, and Fastify 16 MiB in 48; both want Node 22: too much for every fork to install
 * with its tools. The first run of the test takes up to a minute for them.
 *
 * @param list has their package.json and package-lock.json
 * @param what and `test` are named in the message that the test is skipped
 * @returns the folder that has them in its `node_modules`; undefined without a network
 * @throws in CI, where the test must run
 */
export function installed(list: string, what: string, test: string): string | undefined {
  const listed = join(ROOT, list);
  const hash = createHash("sha256");
  for (const file of FILES) hash.update(readFileSync(join(listed, file)));
  const kept = join(ROOT, "node_modules/.cache/trivet-sdks", hash.digest("hex").slice(0, 16));
  if (existsSync(kept)) return kept;
  const unfinished = `${kept}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const file of FILES) copyFileSync(join(listed, file), join(unfinished, file));
    // Not --prefer-offline: with a list of versions from before the lock file, npm does not find those in it.
    const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", ["ci", ...options], { cwd: unfinished, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    renameSync(unfinished, kept);
    return kept;
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (existsSync(kept)) return kept;
    if (process.env.CI) throw error;
    const [why] = String((error as { stderr?: unknown }).stderr ?? error).match(/^npm error .*$/m) ?? ["npm ci failed"];
    // Not `console`: of a file that passes, vitest does not show what that prints.
    process.stderr.write(`${what} could not be installed: ${test} is skipped (${why})\n`);
    return undefined;
  }
}
