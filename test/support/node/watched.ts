/** Which tests a saved file touches, where imports do not tell: those of the Worker call it by HTTP. The tests mirror src. */
import { globSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");

/** @returns paths of tests, from the root; undefined if imports do tell */
export function testsOf(path: string): string[] | undefined {
  const file = relative(ROOT, path);
  if (/(^|\/)generated\/|\.test\.ts$/.test(file)) return undefined;
  // A tool's own tests, or those of all tools.
  if (file.startsWith("tools/")) return nearest(dirname(file), "tools");
  // Tools that the framework's tests call: which, no one knows.
  if (file.startsWith("test/fixtures/")) return testsIn("test/journeys");
  return nearest(dirname(file).replace(/^src/, "test"), "test");
}

/** Of the folder, or of the nearest above it that has any. */
function nearest(folder: string, top: string): string[] {
  const found = testsIn(folder);
  return found.length > 0 || folder === top ? found : nearest(dirname(folder), top);
}

/** Those that watching runs: none that builds or starts processes. */
function testsIn(folder: string): string[] {
  return globSync(`${folder}/*.test.ts`, { cwd: ROOT }).filter((file) => !file.endsWith(".node.test.ts"));
}
