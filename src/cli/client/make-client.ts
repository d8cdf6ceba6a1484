/** `npm run client`: writes the types of the tools for programs that call them (docs/clients.md). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import type { ToolDefinition } from "../../client/oxp/types.ts";
import { OxpClient } from "../../client/oxp.ts";
import { discover } from "../../discovery/discover.ts";
import { formatProblems } from "../../discovery/read/problem.ts";
import { availableIn } from "../../discovery/settings/available.ts";
import { readSettingsFile } from "../../discovery/settings/read-settings-file.ts";
import { requirementsOf } from "../../protocols/oxp/list.ts";
import { addressOf, readUrl } from "../lib/address.ts";
import { exitCodeOf, helpOf, readArguments, type Script } from "../lib/arguments.ts";
import { configOf, readConfig } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { KEY, keyFor } from "../lib/key.ts";
import { Mistake } from "../lib/mistake.ts";
import { plain, plainJson } from "../lib/plain.ts";
import { nameTools } from "./names.ts";
import { HEAD, render } from "./render.ts";

const SCRIPT = {
  name: "client",
  options: {
    out: { type: "string", short: "o" },
    url: { type: "string" },
    remote: { type: "boolean" },
    config: { type: "string", short: "c" },
    env: { type: "string", short: "e" },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["out", "url", "remote", "config", "env"],
} as const satisfies Script<ParseArgsOptionsConfig>;

const USAGE = `Writes a TypeScript file with the names and types of the tools, for a program that calls them.

npm run client -- --out FILE   the tools in tools/; without --out, prints the file
    --remote                 those of the deployment
    --url https://…          those of any OXP server
    --config FILE, --env NAME  as in wrangler, for --remote

A server lists the tools that the key in the variable ${KEY} may call; without one, those that anyone may.`;

type Options = ReturnType<typeof readArguments<(typeof SCRIPT)["options"]>>["values"];

/** @returns the exit code */
export function main(argv: readonly string[], io: Io): Promise<number> {
  return exitCodeOf(io, () => run(argv, io));
}

async function run(argv: readonly string[], io: Io): Promise<undefined> {
  const { console, cwd } = io;
  const { values, positionals } = readArguments(SCRIPT, argv, io.env);
  if (values.help) return void console.log(USAGE);
  const [extra] = positionals;
  if (extra !== undefined) throw new Mistake(`"${extra}": every option has a name, ${helpOf("client")}.`);
  const { out, url, remote } = values;
  if (url !== undefined && remote) throw new Mistake("--url says where the server is, so leave out --remote.");
  if (out !== undefined) refuseForeign(out, cwd);

  const tools = url !== undefined || remote ? await listed(values, io) : await discovered(io);
  const named = nameTools(tools);
  const text = render(named, { options: optionsOf(values), module: `${packageName(io)}/typed` });
  for (const id of named.leftOut) console.error(`Left out ${plainJson(id)}: this is not Toolkit.Tool@1.0.0.`);
  if (out === undefined) return void console.log(text.trimEnd());
  const path = resolve(cwd, out);
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  console.log(`${out}: ${tools.length - named.leftOut.length} tools`);
}

/** Refuses to replace a file of someone else: a misspelled --out must not cost anyone their work. */
function refuseForeign(out: string, cwd: string): void {
  const path = resolve(cwd, out);
  if (!existsSync(path) || readFileSync(path, "utf8").startsWith(HEAD)) return;
  throw new Mistake(`--out: ${out} was not written by \`npm run client\`: name another file, or delete it first.`);
}

async function listed(options: Options, io: Io): Promise<readonly ToolDefinition[]> {
  const { remote = false, env } = options;
  const url = options.url === undefined ? undefined : readUrl(options.url);
  const config = configOf(options.config, io);
  const address = url ?? addressOf({ url, remote, env }, await readConfig(config, env), config);
  const apiKey = keyFor(address, io.env);
  try {
    return await new OxpClient({ url: address, apiKey }).list();
  } catch (error) {
    const key = apiKey === undefined ? ` Does it need a key? Then set the variable ${KEY}.` : "";
    throw new Mistake(`${address} does not list its tools: ${plain((error as Error).message)}.${key}`);
  }
}

/** What OXP would list of the tools of this project. */
async function discovered({ root }: Io): Promise<readonly ToolDefinition[]> {
  const found = await discover(join(root, "tools"), availableIn(await readSettingsFile(root)));
  if ("problems" in found) {
    throw new Mistake(`${found.problems.length} problem(s) in tools:\n${formatProblems(found.problems)}`);
  }
  // Callers over OXP show no views, so tools that are only for views are left out.
  const tools = found.tools.filter(({ options }) => !options.appOnly);
  return tools.map(({ id, version, name, description, input, output, options }) => ({
    ...{ id: `${id}@${version}`, name, description, version },
    input_schema: { parameters: input },
    output_schema: output,
    requirements: requirementsOf(options),
  }));
}

/** The options that make the same file again. */
function optionsOf({ out, url, remote, config, env }: Options): string {
  const word = (text: string) => (/^[\w./:@%+=,~-]+$/.test(text) ? text : JSON.stringify(text));
  const words = [
    ...(remote ? ["--remote"] : []),
    ...Object.entries({ url, config, env, out }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name} ${word(value)}`],
    ),
  ];
  return words.length > 0 ? ` -- ${words.join(" ")}` : "";
}

/** Read from package.json, because a fork may have renamed the package. */
function packageName({ root }: Io): string {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).name;
}
