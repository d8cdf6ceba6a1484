/**
 * Finds the tests of a saved file where imports cannot: tests call the Worker over HTTP, and mirror the folders of src.
 */
import { globSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Returns test files, relative to the root; undefined if imports are enough. */
export function testsOf(path: string): string[] | undefined {
  const file = relative(ROOT, path);
  if (/(^|\/)generated\/|\.test\.ts$/.test(file)) return undefined;
  // The toolkit's own tests, or those of all tools.
  if (file.startsWith("tools/")) return nearest(dirname(file), "tools");
  // Any test may call a fixture tool: run the journeys.
  if (file.startsWith("test/fixtures/")) return testsIn("test/journeys");
  return nearest(dirname(file).replace(/^src/, "test"), "test");
}

/** The tests in the folder, or in the nearest parent that has any. */
function nearest(folder: string, top: string): string[] {
  const found = testsIn(folder);
  return found.length > 0 || folder === top ? found : nearest(dirname(folder), top);
}

/** Tests that can run while watching: none that build or start processes. */
function testsIn(folder: string): string[] {
  return globSync(`${folder}/*.test.ts`, { cwd: ROOT }).filter((file) => !/\.(node|slow)\.test\.ts$/.test(file));
}
