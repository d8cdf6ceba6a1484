/** Checks the types of a file as somebody does who has copied it into a project for one platform. */

import { join, resolve } from "node:path";
import { spawnSync } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const STRICT =
  "--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noImplicitOverride " +
  "--erasableSyntaxOnly";
const MODULES =
  "--ignoreConfig --target es2022 --module esnext --moduleResolution bundler --allowImportingTsExtensions " +
  "--verbatimModuleSyntax --isolatedModules";

/**
 * @param lib   of TypeScript, such as `es2022,dom`
 * @param types packages with the types of the platform; "" for none
 * @param more  further options
 * @returns what the type checker prints: "" if nothing is wrong
 */
export function typeErrors(file: string, lib: string, types: string, ...more: string[]): string {
  const words = [...`${STRICT} ${MODULES}`.split(" "), "--lib", lib, "--types", types, ...more, file];
  const { stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), words, { cwd: ROOT, encoding: "utf8" });
  return stdout + stderr;
}
