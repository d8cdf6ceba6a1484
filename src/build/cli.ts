/**
 * `node src/build/cli.ts [--tools DIR] [--out FILE]`: runs discovery, on start, test, deploy and install. With
 * `--tokens`, it also prints what the listings cost a model. With `--starting`, it only checks tools and settings, and
 * announces that a server is about to start: `npm start` runs this before wrangler, which would bury a mistake under a
 * report of its own.
 */
import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeEnvTypes } from "./bindings/env-types.ts";
import { type Available, availableIn, optionalParts, wrongSettings } from "./check-settings.ts";
import { announceStart, devCatalog } from "./dev.ts";
import { discover } from "./discover.ts";
import { found, headline } from "./found.ts";
import { formatProblems, type Problem } from "./read/problem.ts";
import { writeTypes } from "./write/types.ts";
import { render, writeAll } from "./write/write.ts";

// Loading wrangler, which reads wrangler.toml, takes half as long from the cache.
module.enableCompileCache();

const ROOT = resolve(import.meta.dirname, "../..");
const values = options();
const folder = resolve(values.tools);
const out = resolve(values.out);
const dev = process.env.WRANGLER_COMMAND === "dev" ? devCatalog(out) : undefined;
const wrong = await wrongSettings(dirname(folder), values.starting);
if (wrong.length > 0) {
  // A running server stops here too, because a wrong setting might leave it open.
  console.error(`${wrong.length} problem(s) in settings:\n${formatProblems(wrong)}`);
  process.exitCode = 1;
} else {
  try {
    const available = await availableIn(dirname(folder));
    if (available) writeEnvTypes(available.bindings, out);
    await (values.starting ? checkForStart(available) : writeCatalog(available));
  } catch (error) {
    fail(`discovery crashed. This is a bug in Trivet: ${error instanceof Error ? error.stack : error}`);
  }
  // Last, because it has wrangler build again.
  dev?.watchAgain(folder);
}

async function checkForStart(available: Available | undefined): Promise<void> {
  const result = await discovered(available);
  if ("problems" in result) fail(inTools(result.problems));
  else announceStart(out);
}

/** A missing folder counts as empty, because git does not keep it when the last tool is deleted. */
async function discovered(available: Available | undefined): ReturnType<typeof discover> {
  if (existsSync(folder)) return discover(folder, available);
  return { tools: [], prompts: [], resources: [], ...(await optionalParts(dirname(folder))) };
}

function inTools(problems: readonly Problem[]): string {
  return `${problems.length} problem(s) in tools:\n${formatProblems(problems)}`;
}

async function writeCatalog(available: Available | undefined): Promise<void> {
  // Copy first, so that the served code is never newer than its description in the catalogue.
  const copying = dev?.copy(folder);
  // Discovery reports a file that cannot be bundled, together with all other problems.
  await copying?.catch(() => {});
  const result = await discovered(available);
  if ("problems" in result) fail(inTools(result.problems));
  else {
    writeTypes(result, out);
    const { warnings = [] } = result;
    if (warnings.length > 0) console.warn(`${warnings.length} warning(s) in tools:\n${formatProblems(warnings)}`);
    if (values.tokens) {
      const { tokenTable } = await import("./listing/tokens.ts");
      console.log(tokenTable(result.tools, result.instructions));
    }
    if (dev && copying) await dev.serve(await copying, result);
    else writeAll(await render(result, out), out);
    // A server lists everything in its banner, and need not again for each saved file.
    console.log(dev ? headline(result) : found(result));
  }
}

/** wrangler blocks all requests while a build fails. So if a server is running, the last good build stays in place. */
function fail(message: string): void {
  console.error(message);
  if (dev?.keepServing()) console.error("The server keeps running with the previous tools.");
  else process.exitCode = 1;
}

/** Reads the command line; exits with a message if it is invalid. */
function options(): {
  readonly tools: string;
  readonly out: string;
  readonly starting: boolean;
  readonly tokens: boolean;
} {
  try {
    return parseArgs({
      options: {
        tools: { type: "string", default: resolve(ROOT, "tools") },
        starting: { type: "boolean", default: false },
        tokens: { type: "boolean", default: false },
        out: { type: "string", default: resolve(ROOT, "src/generated/catalog.ts") },
      },
    }).values;
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
