/**
 * Discovery as a command: reads its arguments, reports what is wrong or what was found, and writes what the Worker serves.
 */
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { announceStart, devCatalog } from "./dev.ts";
import { discover } from "./discover.ts";
import { migrate } from "./migrate.ts";
import { formatPrinted, formatProblems, type Problem } from "./read/problem.ts";
import { type Available, availableIn } from "./settings/available.ts";
import { wrongSettings } from "./settings/check.ts";
import { databasesIn } from "./settings/databases.ts";
import { readSettingsFile } from "./settings/read-settings-file.ts";
import { suspiciousSettings } from "./settings/suspicious.ts";
import { accountCommands, headline, summary } from "./summary.ts";
import { writeEnvTypes } from "./write/env-types.ts";
import { renderWiring } from "./write/features.ts";
import { writePage } from "./write/front-page.ts";
import { writeToolTypes } from "./write/tool-types.ts";
import { writeViews } from "./write/views.ts";
import { render, writeAll } from "./write/write.ts";

const USAGE = `Reads tools/ and the settings file, says what it found or what is wrong, and writes what the Worker serves.

npm run discover
    --tokens      also print what the listings cost a model
    --starting    check, apply migrations on this machine, and note that a server starts; write no catalogue
    --tools DIR   the folder of tools
    --out FILE    the catalogue

The exit code is 1 if something is wrong, 2 if an option is.`;

const ROOT = resolve(import.meta.dirname, "../..");
const OPTIONS = {
  tools: { type: "string", default: resolve(ROOT, "tools") },
  starting: { type: "boolean", default: false },
  tokens: { type: "boolean", default: false },
  out: { type: "string", default: resolve(ROOT, "src/generated/catalog.ts") },
  help: { type: "boolean", short: "h", default: false },
} as const;

export interface Io {
  readonly console: Pick<Console, "log" | "warn" | "error">;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs discovery. `npm start` calls it with `--starting` before wrangler, which would bury a mistake under a report of
 * its own.
 *
 * @returns the exit code: 1 if something is wrong, 2 if an option is
 */
export async function main(args: readonly string[], { console, env }: Io): Promise<number> {
  const values = options(args);
  if (typeof values === "string") {
    console.error(values);
    return 2;
  }
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const { starting, tokens } = values;
  const folder = resolve(values.tools);
  const out = resolve(values.out);
  const dev = env.WRANGLER_COMMAND === "dev" ? devCatalog(out) : undefined;
  const project = dirname(folder);
  const file = await readSettingsFile(project);
  const [top] = file.environments;
  const databases = top === undefined ? [] : databasesIn(top.config, project);
  const wrong = wrongSettings(file, starting || dev !== undefined);
  let code = 0;
  if (wrong.length > 0) {
    // A wrong setting might leave a running server open, so it serves nothing. If it stopped, saving the file again
    // would not bring it back.
    const problems = report("problem", "settings", wrong);
    const isServing = dev?.refuse(problems) ?? false;
    const also = isServing ? "\nThe server keeps running, and refuses every request until the settings are right." : "";
    console.error(problems + also);
    if (!isServing) code = 1;
  } else {
    try {
      const configured = availableIn(file);
      // `npm start -- --tunnel` turns the sign-in on, whatever the settings say (src/cli/start/options.ts).
      const available =
        configured && env.TRIVET_SIGN_IN === "true"
          ? { ...configured, forFeatures: { ...configured.forFeatures, hasSignIn: true } }
          : configured;
      if (available) writeEnvTypes(available.bindings, out);
      // Also before a server starts: `wrangler dev` looks for the folder of the page before it runs discovery.
      const wrongPage = await writePage(available?.forFeatures.bound.has("ASSETS") ?? false, out);
      if (wrongPage.length > 0) fail(report("problem", "the page at /", wrongPage));
      else await (starting ? checkForStart(available) : writeCatalog(available));
    } catch (error) {
      fail(`discovery crashed. This is a bug in Trivet: ${error instanceof Error ? error.stack : error}`);
    }
  }
  // Last, because it has wrangler build again.
  dev?.watchAgain(folder);
  return code;

  async function checkForStart(available: Available | undefined): Promise<void> {
    const result = await discover(folder, available);
    if (!("problems" in result)) {
      for (const sentence of await migrate(databases, project)) console.log(sentence);
      return announceStart(out);
    }
    // A warning may name the cause, such as a table whose name is misspelled.
    warn("settings", suspiciousSettings(file));
    fail(report("problem", "tools", result.problems));
  }

  async function writeCatalog(available: Available | undefined): Promise<void> {
    warn("settings", suspiciousSettings(file));
    // Copy first, so that the served code is never newer than its description in the catalogue.
    const copying = dev?.copy(folder, available?.bundling);
    // Discovery reports a file that cannot be bundled, together with all other problems.
    await copying?.catch(() => {});
    const result = await discover(folder, available, dev !== undefined, print);
    if ("problems" in result) return fail(report("problem", "tools", result.problems));
    writeToolTypes(result, out);
    writeViews(result, out);
    warn("tools", result.warnings ?? []);
    if (tokens) {
      const { tokenTable } = await import("./listing/tokens.ts");
      console.log(tokenTable(result.tools, result.instructions));
    }
    if (dev && copying) await dev.serve(await copying, result);
    else writeAll(new Map([...(await render(result, out)), ...renderWiring(result, out)]), out);
    // A server lists everything in its banner, and does not repeat it for each saved file.
    console.log(dev ? headline(result) : summary(result));
    const needed = accountCommands(result, databases, Object.keys(top?.config.vars ?? {}));
    if (needed !== undefined && env.WRANGLER_COMMAND === "deploy") console.log(needed);
  }

  function print(file: string, text: string): void {
    console.log(formatPrinted(file, text));
  }

  function warn(place: string, warnings: readonly Problem[]): void {
    if (warnings.length > 0) console.warn(report("warning", place, warnings));
  }

  /** wrangler ends if a build fails while it serves. So the last good build stays in place. */
  function fail(message: string): void {
    console.error(message);
    if (dev?.keepServing(message)) console.error("The server keeps running with the previous tools.");
    else code = 1;
  }
}

function report(noun: "problem" | "warning", place: string, problems: readonly Problem[]): string {
  return `${problems.length} ${noun}(s) in ${place}:\n${formatProblems(problems)}`;
}

/** Reads the command line. Returns a message if it is invalid. */
function options(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    // Node's message goes on about positional arguments.
    const [problem] = (error as Error).message.split(". ");
    return `${problem}: npm run discover -- --help lists the options.`;
  }
}
