/** `npm run doctor`: checks a fork before it deploys, and says for each finding what to do. */
import { join, resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { wrongSettings } from "../../build/settings/check.ts";
import { readWranglerToml } from "../../build/settings/read.ts";
import { helpOf, readArguments, runScript, type Script } from "../lib/arguments.ts";
import { readConfig } from "../lib/config.ts";
import { Mistake } from "../lib/mistake.ts";
import { checkAccount } from "./check-account.ts";
import { checkSettings } from "./check-settings.ts";
import { checkSize } from "./check-size.ts";
import { checkTools } from "./check-tools.ts";
import { error, type Finding, report } from "./finding.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const SCRIPT = {
  name: "doctor",
  options: {
    env: { type: "string", short: "e" },
    offline: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["env"],
} as const satisfies Script<ParseArgsOptionsConfig>;
const USAGE = `Checks this fork before a deployment: settings, tools, size, and what the account has.

npm run doctor
    --env NAME   an environment of wrangler.toml
    --offline    do not look at the account

The exit code is 1 if there are errors, and 0 if there are only warnings.`;

await runScript(main);

async function main(): Promise<void> {
  const { values, positionals } = readArguments(SCRIPT);
  if (values.help) return console.log(USAGE);
  if (positionals.length > 0) throw new Mistake(`doctor takes no name: ${helpOf("doctor")}.`);
  const { env, offline = false } = values;
  const file = join(ROOT, "wrangler.toml");
  const wrong = wrongSettings(await readWranglerToml(ROOT));
  // Nothing is built with a wrong setting, so nothing else can be checked.
  if (wrong.length > 0) return end(wrong.map(error), ["the rest, until the settings are right."], undefined);

  const config = await readConfig(file, env);
  const { found, findings } = await checkTools(ROOT);
  findings.push(...checkSettings(config));
  const upload = found === undefined ? undefined : checkSize(file, env);
  findings.push(...(upload?.findings ?? []));
  const place = { remote: true, config: file, env, persistTo: undefined };
  const account = offline
    ? { findings: [], unchecked: ["the account's secrets, keys and scopes (--offline)."] }
    : await checkAccount(found, config, place);
  end([...findings, ...account.findings], account.unchecked, upload?.size);
}

function end(findings: readonly Finding[], unchecked: readonly string[], size: string | undefined): void {
  console.log(report(findings, unchecked, size));
  process.exitCode = findings.some(({ level }) => level === "error") ? 1 : 0;
}
