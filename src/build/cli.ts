/**
 * `node src/build/cli.ts [--tools DIR] [--out FILE]`: discovery, as start, test, deploy and install run it. With
 * `--starting`, which a server's script runs before wrangler, it discovers nothing: it says that a server starts.
 */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { announceStart, devCatalog } from "./dev.ts";
import { discover } from "./discover.ts";
import { inWords } from "./read/problem.ts";
import { wrongSettings } from "./settings.ts";
import { render, writeAll } from "./write/write.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const values = options();
const folder = resolve(values.tools);
const out = resolve(values.out);
if (values.starting) {
  announceStart(out);
  process.exit();
}
const dev = process.env.WRANGLER_COMMAND === "dev" ? devCatalog(out) : undefined;
const wrong = await wrongSettings(dirname(folder));
if (wrong.length > 0) {
  // With these no server goes on: one of them would leave it open.
  console.error(`${wrong.length} problem(s) in settings:\n${inWords(wrong)}`);
  process.exitCode = 1;
} else {
  try {
    await writeCatalog();
  } catch (error) {
    fail(`discovery failed, which no tool should make it do: ${error instanceof Error ? error.stack : error}`);
  }
}

async function writeCatalog(): Promise<void> {
  // Copied first: code that is served is never newer than what the catalogue says of it.
  const copying = dev?.copy(folder);
  // What cannot be bundled is told by discovery, with all else that is wrong.
  await copying?.catch(() => {});
  // An absent folder is an empty one: git does not keep it when the last tool is deleted.
  const result: Awaited<ReturnType<typeof discover>> = existsSync(folder)
    ? await discover(folder)
    : { tools: [], prompts: [], resources: [] };
  if ("problems" in result) fail(`${result.problems.length} problem(s) in tools:\n${inWords(result.problems)}`);
  else {
    if (dev && copying) await dev.serve(await copying, result);
    else if (!writeAll(await render(result, out), out)) return;
    console.log(`discovered ${result.tools.length} tool(s)${result.worker ? " and a worker.ts" : ""}`);
  }
}

/** wrangler holds every request back while a build is broken: a server that runs goes on with what it had. */
function fail(words: string): void {
  console.error(words);
  if (dev?.goOn()) console.error("The server goes on with the tools as they were.");
  else process.exitCode = 1;
}

/** What was asked for; ends with a sentence where that makes no sense. */
function options(): { readonly tools: string; readonly out: string; readonly starting: boolean } {
  try {
    return parseArgs({
      options: {
        tools: { type: "string", default: resolve(ROOT, "tools") },
        starting: { type: "boolean", default: false },
        out: { type: "string", default: resolve(ROOT, "src/generated/catalog.ts") },
      },
    }).values;
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
