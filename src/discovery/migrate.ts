/**
 * Applies migrations of D1 databases on this machine before a server starts, as `npm test` does for tests. It runs
 * wrangler's own command, and only if the migrations have changed since the last start. A file beside the databases
 * says what was applied, so that both are deleted together.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Database } from "./settings/databases.ts";

/** What was applied, in the folder in which wrangler keeps the databases of this machine. */
const APPLIED = ".wrangler/state/v3/d1/applied-at-start.json";

/** @returns sentences that say what was applied, and what could not be */
export async function migrate(databases: readonly Database[], project: string): Promise<string[]> {
  const noted = join(project, APPLIED);
  const now = JSON.stringify(databases);
  if (databases.length === 0 || textOf(noted) === now) return [];
  const home = dirname(createRequire(import.meta.url).resolve("wrangler/package.json"));
  const env = { ...process.env, CI: "true", WRANGLER_HIDE_BANNER: "true" };
  const said: string[] = [];
  for (const { binding, migrations } of databases) {
    const command = ["d1", "migrations", "apply", binding, "--local"];
    try {
      await promisify(execFile)(process.execPath, [join(home, "bin/wrangler.js"), ...command], { cwd: project, env });
      said.push(`Applied the migrations of ${binding} on this machine, up to ${migrations.at(-1)}`);
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      const failed = `Could not apply the migrations of ${binding} on this machine`;
      said.push(`${stdout}${stderr}`, `${failed}. Correct them, then run: npx wrangler ${command.join(" ")}`);
      return said;
    }
  }
  mkdirSync(dirname(noted), { recursive: true });
  writeFileSync(noted, now);
  return said;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
