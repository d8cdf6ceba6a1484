/** `node src/build/cli.ts [--tools DIR] [--out FILE]`: discovery, as start, test, deploy and install run it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { discover } from "./discover.ts";
import { inWords } from "./problem.ts";
import { render, writeAll } from "./write.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const values = options();
const folder = resolve(values.tools);
const out = resolve(values.out);
// An absent folder is an empty one: git does not keep it when the last tool is deleted.
const result = existsSync(folder) ? await discover(folder) : { tools: [], prompts: [], resources: [] };
if ("problems" in result) {
  console.error(`${result.problems.length} problem(s) in tools:\n${inWords(result.problems)}`);
  // wrangler holds every request back while a build is broken: a server that runs goes on with what it had.
  const goesOn = process.env.WRANGLER_COMMAND === "dev" && existsSync(out);
  if (goesOn) console.error("The server goes on with the tools as they were.");
  else process.exitCode = 1;
} else if (writeAll(await render(result, out), out)) {
  console.log(`discovered ${result.tools.length} tool(s)`);
}

/** What was asked for; ends with a sentence where that makes no sense. */
function options(): { readonly tools: string; readonly out: string } {
  try {
    return parseArgs({
      options: {
        tools: { type: "string", default: resolve(ROOT, "tools") },
        out: { type: "string", default: resolve(ROOT, "src/generated/catalog.ts") },
      },
    }).values;
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
