/** Finds the settings file of a folder as wrangler does, and others that conflict with it. */
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { type Problem, problemIn } from "../read/problem.ts";

/** In the order of wrangler's search: each name in the folder and in all folders above it, then the next name. */
const NAMES = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];
/** The file with which a build tool makes wrangler read settings that it generated. */
const REDIRECT = ".wrangler/deploy/config.json";

/** @returns the path of the folder's own settings file; of a `wrangler.toml` if it has none */
export function settingsPath(folder: string): string {
  return ownFiles(folder)[0] ?? join(folder, "wrangler.toml");
}

function ownFiles(folder: string): string[] {
  return NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
}

/** Finds a second file of settings, which wrangler reads instead of the first, or which has no effect. */
export function conflictingFile(folder: string): Problem | undefined {
  const [own, other] = ownFiles(folder);
  if (own === undefined) return undefined;
  const name = basename(own);
  if (other !== undefined) {
    const problem = `wrangler reads ${name} instead: this file has no effect`;
    return problemIn(basename(other), { problem, fix: `move what you need into ${name}, and remove this file` });
  }
  const shown = (path: string) => relative(folder, path);
  const redirect = above(folder, REDIRECT);
  if (redirect !== undefined) {
    const problem = `it makes wrangler deploy with other settings than those in ${name}`;
    return problemIn(shown(redirect), { problem, fix: "remove this file, which a build tool has written" });
  }
  const taken = NAMES.map((one) => above(folder, one)).find((path) => path !== undefined);
  if (taken === undefined || taken === own) return undefined;
  const problem = `wrangler reads this file and ignores ${name}, although that is nearer`;
  return problemIn(shown(taken), {
    problem,
    fix: `move this file, or write the settings as ${NAMES[0]}, which wrangler prefers`,
  });
}

/** @returns the path of the nearest file of this name, in the folder or in one above it */
function above(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : above(dirname(folder), name);
}
