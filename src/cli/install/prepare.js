/**
 * npm runs this after `npm install`, here and in a project that links to this one. Writes dist/client/, from which other
 * projects import the clients (docs/clients.md), and here the catalogue. JavaScript, because without the development
 * packages there may be only a Node that runs no TypeScript.
 */
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = realpathSync(fileURLToPath(new URL("../../..", import.meta.url)));
/** Whether npm installs another project, which links to this one. Other package managers do not say. */
const isLinked = realpathSync(process.env.npm_config_local_prefix ?? ROOT) !== ROOT;
const compiler = find("typescript/package.json");

if (compiler !== undefined) {
  // `npm run check` checks the types: a mistake in them must not keep the project from being installed.
  run(join(dirname(compiler), "bin/tsc"), "-p", "src/client", "--noCheck");
} else if (isLinked && !existsSync(join(ROOT, "dist/client"))) {
  console.error(`The clients in ${ROOT} are not built: run \`npm install\` there first.`);
  process.exit(1);
}
if (!isLinked) {
  if (find("wrangler/package.json") !== undefined) run("src/discovery/cli.ts");
  else console.log("Without the development packages, tools/ is not discovered.");
}

/** @returns undefined if the package is not installed */
function find(file) {
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return undefined;
  }
}

/** Ends this process if the script fails. */
function run(...words) {
  const { status } = spawnSync(process.execPath, words, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
