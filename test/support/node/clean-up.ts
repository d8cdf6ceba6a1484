/** Deletes what the tests of a file have made, when they have ended. */
import { rmSync } from "node:fs";

const folders: string[] = [];

/** Not with `onTestFinished`: if tests run concurrently, it may run when another test ends. */
export function removeLater(folder: string): void {
  folders.push(folder);
}

/** Called after each test file, by each-file.ts. */
export function cleanUp(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
