/** `npm run connect`: prints what each host needs to use this server, with the URL and a key in place. */
import { resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { bundlesTokens } from "../../build/settings/available.ts";
import { addressOf, readUrl } from "../lib/address.ts";
import { helpOf, readArguments, runScript, type Script } from "../lib/arguments.ts";
import { type Config, readConfig, SETTINGS } from "../lib/config.ts";
import { Mistake } from "../lib/mistake.ts";
import { HOSTS, type Server } from "./hosts.ts";

const SCRIPT = {
  name: "connect",
  options: {
    url: { type: "string" },
    key: { type: "string" },
    remote: { type: "boolean" },
    config: { type: "string", short: "c" },
    env: { type: "string", short: "e" },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["url", "remote", "config", "env"],
} as const satisfies Script<ParseArgsOptionsConfig>;

const NAMES = [...HOSTS.keys()].join(", ");
const USAGE = `Prints what a host needs to use this server. Hosts: ${NAMES}.

npm run connect              for all hosts
npm run connect -- cursor    for one
    --key trivet_…           the key to put in (npm run keys -- create NAME)
    --remote                 the deployment, instead of \`npm start\` on this machine
    --url https://…          a deployment that wrangler.toml and this machine know nothing of
    --config FILE, --env NAME  as in wrangler`;
const PLACEHOLDER = "YOUR_KEY";

await runScript(main);

async function main(): Promise<void> {
  const { values, positionals } = readArguments(SCRIPT);
  if (values.help) return console.log(USAGE);
  const unknown = positionals.find((name) => !HOSTS.has(name));
  if (unknown !== undefined) throw new Mistake(`There is no host "${unknown}": write ${hostsLike(unknown)}.`);
  const { key, remote = false, env } = values;
  const url = values.url === undefined ? undefined : readUrl(values.url);
  if (url !== undefined && remote) throw new Mistake(`--url says where the server is, so leave out --remote.`);
  if (key !== undefined && !/^[\w.~+/=-]+$/.test(key)) {
    throw new Mistake(`--key: this is not a key: write the text that \`npm run keys\` showed, ${helpOf("connect")}.`);
  }
  const config = resolve(values.config ?? SETTINGS);
  const settings = await readConfig(config, env);
  const server = describe(addressOf({ url, remote, env }, settings, config), key, settings);
  const names = positionals.length > 0 ? positionals : [...HOSTS.keys()];
  // A single form is printed alone, so that it can be piped into a file or a shell.
  const texts = names.flatMap((name) => {
    const host = HOSTS.get(name);
    if (host === undefined) return [];
    return names.length === 1 ? host.form(server) : `== ${host.title} ==\n${host.form(server)}\n`;
  });
  const text = texts.join("\n");
  console.log(text);
  if (text.includes(PLACEHOLDER)) console.error(replaceKey(env));
  if (isToken(key) && !server.isLocal && !bundlesTokens(settings)) {
    console.error('This key is a token (JWT): the deployment refuses it without the line "#tokens" under [alias].');
  }
}

/** The hosts that may be meant, or all. */
function hostsLike(unknown: string): string {
  const meant = [...HOSTS.keys()].filter((name) => name.startsWith(unknown.toLowerCase()));
  return meant.length > 0 ? meant.join(" or ") : `one of ${NAMES}`;
}

/** Whether it has the form of a JSON Web Token (RFC 7519): three parts, the first of which is a JSON object. */
function isToken(key = ""): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(key);
}

function replaceKey(env: string | undefined): string {
  const command = `npm run keys -- create NAME --remote${env === undefined ? "" : ` --env ${env}`}`;
  return `Replace ${PLACEHOLDER} by a key: \`${command}\` makes one, and --key puts it in.`;
}

/** The server's name as one word that begins with a letter, for variables and commands. */
function shortName(serverName: unknown): string {
  const name = typeof serverName === "string" ? serverName.toLowerCase() : "";
  const word = name.replace(/[^a-z0-9]+/g, "-").replace(/^[-\d]+|-+$/g, "");
  return word === "" ? "trivet" : word;
}

function describe(base: string, key: string | undefined, settings: Config): Server {
  const { vars, alias } = settings;
  const hasTokens = bundlesTokens(settings);
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(new URL(base).hostname);
  const isPublic = vars.PUBLIC === "true";
  // Under `npm start` no one needs a key.
  const isPlaceholder = key === undefined && !isLocal && !isPublic;
  return {
    name: shortName(vars.SERVER_NAME),
    base,
    key: isPlaceholder ? PLACEHOLDER : key,
    isPlaceholder,
    isLocal,
    // If there are both, clients use the first authorization server that the metadata lists: the provider.
    signIn: vars.JWT_ISSUER && hasTokens ? "provider" : alias?.["#sign-in"]?.endsWith("/server.ts") ? "own" : undefined,
    lacksTokens: Boolean(vars.JWT_ISSUER) && !hasTokens,
    isPublic,
  };
}
