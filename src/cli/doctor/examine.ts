/** `npm run doctor`: checks a fork before it deploys, and says for each finding what to do. */
import type { ParseArgsOptionsConfig } from "node:util";
import { wrongSettings } from "../../discovery/settings/check.ts";
import { readSettingsFile } from "../../discovery/settings/read-settings-file.ts";
import { misspelledSettings } from "../../discovery/settings/suspicious.ts";
import { exitCodeOf, helpOf, readArguments, type Script } from "../lib/arguments.ts";
import { configOf, readConfig, type Where } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { Mistake } from "../lib/mistake.ts";
import { checkAccount } from "./check-account.ts";
import { checkDirectories, UNCHECKED } from "./check-directories.ts";
import { checkSettings, finder } from "./check-settings.ts";
import { checkSize } from "./check-size.ts";
import { checkTools } from "./check-tools.ts";
import { error, type Finding, report, warning } from "./finding.ts";

const SCRIPT = {
  name: "doctor",
  options: {
    config: { type: "string", short: "c" },
    env: { type: "string", short: "e" },
    "no-account": { type: "boolean" },
    submit: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["config", "env", "no-account", "submit"],
} as const satisfies Script<ParseArgsOptionsConfig>;
const USAGE = `Checks this fork before a deployment: settings, tools, size, and what the account has.

npm run doctor
    --config FILE  check this copy's (npm run copy) bindings, size and account. Tools and values are checked in
                   the settings file, from which copies are made
    --env NAME     an environment of the settings file
    --no-account   do not look at the account
    --submit       also check what the directories of Claude and ChatGPT demand

The exit code is 1 if there are errors, and 0 if there are only warnings.`;

/** @returns the exit code */
export function main(argv: readonly string[], io: Io): Promise<number> {
  return exitCodeOf(io, () => run(argv, io));
}

async function run(argv: readonly string[], io: Io): Promise<number | undefined> {
  const { console, root } = io;
  const { values, positionals } = readArguments(SCRIPT, argv, io.env);
  if (values.help) return void console.log(USAGE);
  if (positionals.length > 0) throw new Mistake(`doctor takes no name: ${helpOf("doctor")}.`);
  const where: Where = { config: configOf(values.config, io), env: values.env };
  const file = await readSettingsFile(root);
  const wrong = wrongSettings(file);
  // Nothing is built with a wrong setting, so nothing else can be checked.
  if (wrong.length > 0) return end(wrong.map(error), ["the rest, until the settings are right."], undefined, io);

  const config = await readConfig(where.config, where.env);
  const { found, findings } = await checkTools(root);
  findings.push(...misspelledSettings(file).map(warning), ...checkSettings(config, where, root, found));
  if (values.submit && found) findings.push(...checkDirectories(found, config, root, finder(where, root)));
  const upload = found === undefined ? undefined : await checkSize(where, io);
  findings.push(...(upload?.findings ?? []));
  const account = values["no-account"]
    ? { findings: [], unchecked: ["the account's secrets, keys and scopes (--no-account)."] }
    : await checkAccount(found, config, { ...where, remote: true, persistTo: undefined }, io);
  const unchecked = [...account.unchecked, ...(values.submit ? [UNCHECKED] : [])];
  return end([...findings, ...account.findings], unchecked, upload?.size, io);
}

/** @returns the exit code */
function end(findings: Finding[], unchecked: readonly string[], size: string | undefined, { console }: Io): number {
  console.log(report(findings, unchecked, size));
  return findings.some(({ level }) => level === "error") ? 1 : 0;
}
