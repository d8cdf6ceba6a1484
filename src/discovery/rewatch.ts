/**
 * Lets a running `wrangler dev` hear changes again after the folder of tools was removed and created again, as `git
 * checkout` and `git stash` may do. wrangler's watcher follows the folder itself, not its name, and is deaf from then
 * on (chokidar issue 1278). It looks the folder up again when the settings file changes, and a new date is enough for
 * that.
 */
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { settingsPath } from "./settings/find-settings-file.ts";

/**
 * @param tools the folder that wrangler watches; it may be missing
 * @param known file that remembers the folder between two builds of a server
 * @param isFirst whether the server has just started, so that its watcher has the current folder
 */
export function rewatch(tools: string, known: string, isFirst: boolean): void {
  const folder = identityOf(tools);
  const before = existsSync(known) ? readFileSync(known, "utf8") : folder;
  mkdirSync(dirname(known), { recursive: true });
  writeFileSync(known, folder);
  const settings = settingsPath(dirname(tools));
  if (isFirst || folder === before || !existsSync(settings)) return;
  const now = new Date();
  utimesSync(settings, now, now);
}

/** Stays the same until the folder is removed. The number of the inode is not enough: the next folder may get it. */
function identityOf(folder: string): string {
  if (!existsSync(folder)) return "missing";
  const { ino, birthtimeMs } = statSync(folder);
  return `${ino} ${birthtimeMs}`;
}
