/**
 * Runs the official conformance suite against the built Worker, with the fixture tools of this folder, in both eras.
 * Exits 1 unless every required scenario passes without warnings, and so does every additional one that the suite runs.
 *
 *   npm run conformance               writes RESULTS.md
 *   npm run conformance -- --check    fails if RESULTS.md would change
 *   npm run conformance -- NAME REV   runs one scenario, and writes nothing
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeFork, serveBuilt } from "../support/node/fork.ts";
import { WORKFLOW } from "../support/node/long.ts";
import { isAlwaysSkipped, isClean, isComplete, problemsOf, results, summary } from "./runner/report.ts";
import { type Ran, REVISIONS, type Revision, runAll, runOne, SKILLS, suiteVersion } from "./runner/suite.ts";

const RESULTS = join(import.meta.dirname, "RESULTS.md");

const { values, positionals } = parseArgs({ options: { check: { type: "boolean" } }, allowPositionals: true });
const [name, revision = "2026-07-28"] = positionals;

const all = await withServer(async (url) => {
  if (name !== undefined) return [await runOne(url, name, revision as Revision)];
  const ran: Ran[] = [];
  for (const each of REVISIONS) ran.push(...(await runAll(url, each)));
  for (const each of SKILLS) ran.push({ ...(await runOne(url, each, "2026-07-28")), unscored: "extension" });
  return ran;
});

const problems = all.flatMap(problemsOf);
for (const problem of problems) console.error(`${problem}\n`);
const text = results(all, suiteVersion());
if (name === undefined) {
  console.log(summary(all));
  if (!values.check) writeFileSync(RESULTS, text);
  else if (readText(RESULTS) !== text) {
    console.error("RESULTS.md is not what was found: run npm run conformance and look at what changed");
    process.exitCode = 1;
  }
} else if (problems.length === 0) console.log(`${name} (${revision}) is clean`);
if (!all.every((ran) => isClean(ran) || isAlwaysSkipped(ran)) || (name === undefined && !isComplete(all)))
  process.exitCode = 1;

async function withServer<Made>(judge: (url: string) => Promise<Made>): Promise<Made> {
  const fork = makeFork("test/conformance/tools");
  // As under `npm start`: a local server refuses pages of other origins.
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  const local = /^LOCAL\b/m.test(settings) ? settings : settings.replace("[vars]", '[vars]\nLOCAL = "true"');
  fork.write("wrangler.toml", local + WORKFLOW);
  try {
    const server = await serveBuilt(fork);
    try {
      const url = `${server.url}/mcp`;
      // Some scenarios wait for half a second only, so no isolate and no Durable Object should start during them.
      await runOne(url, "server-stateless", "2026-07-28");
      await runOne(url, "tools-call-elicitation", "2025-11-25");
      return await judge(url);
    } finally {
      await server.stop();
    }
  } finally {
    fork.remove();
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
