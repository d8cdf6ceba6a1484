/** `npm run keys`: creates, lists and revokes API keys in the Worker's KV. src/access/keys.ts checks them. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import type { KeyTerms } from "../../core/ports/key-records.ts";
import { exitCodeOf, helpOf, readArguments, type Script } from "../lib/arguments.ts";
import { configOf, readConfig, sourceOf, whereOptions } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { keyEditor } from "../lib/key-editor.ts";
import { openKv, type Place } from "../lib/kv.ts";
import { Mistake } from "../lib/mistake.ts";
import { primitivesOf } from "../lib/primitives.ts";
import { doubts, settle } from "./doubts.ts";
import { makeKey } from "./make.ts";
import { announce, table, USAGE } from "./messages.ts";
import { readExpires, readName, readRate, readScopes, readToolkits } from "./options.ts";

const HELP = helpOf("keys");
const SCRIPT = {
  name: "keys",
  options: {
    toolkits: { type: "string", multiple: true },
    scopes: { type: "string", multiple: true },
    expires: { type: "string" },
    rate: { type: "string" },
    yes: { type: "boolean", short: "y" },
    json: { type: "boolean" },
    remote: { type: "boolean" },
    "persist-to": { type: "string" },
    config: { type: "string", short: "c" },
    env: { type: "string", short: "e" },
    help: { type: "boolean", short: "h" },
  },
  // Without json, which is an option of npm itself.
  swallowed: ["toolkits", "scopes", "expires", "rate", "remote", "persist-to", "config", "env"],
} as const satisfies Script<ParseArgsOptionsConfig>;
const COMMON = ["remote", "persist-to", "config", "env"];

type Values = ReturnType<typeof readArguments<(typeof SCRIPT)["options"]>>["values"];

const COMMANDS = new Map([
  ["create", { operand: "NAME", options: ["toolkits", "scopes", "expires", "rate", "yes"], run: create }],
  ["list", { operand: undefined, options: ["json"], run: list }],
  ["revoke", { operand: "ID or NAME", options: [], run: revoke }],
]);

/** @returns the exit code */
export function main(argv: readonly string[], io: Io): Promise<number> {
  return exitCodeOf(io, () => run(argv, io));
}

async function run(argv: readonly string[], io: Io): Promise<undefined> {
  const { values, positionals } = readArguments(SCRIPT, argv, io.env);
  const [name, operand = "", ...rest] = positionals;
  if (values.help || name === undefined) return void io.console.log(USAGE);
  const command = COMMANDS.get(name);
  if (command === undefined) throw new Mistake(`There is no command "${name}": ${HELP}.`);
  const foreign = Object.keys(values).find((option) => ![...command.options, ...COMMON].includes(option));
  if (foreign) throw new Mistake(`${name} takes no --${foreign}: ${HELP}.`);
  if (command.operand && operand === "") throw new Mistake(`${name} needs the ${command.operand} of a key: ${HELP}.`);
  if (rest.length > 0 || (!command.operand && operand !== "")) {
    // Without quotes, the shell replaces * with the names of all files.
    const what = command.operand ? `one ${command.operand}` : "no name";
    throw new Mistake(`${name} takes ${what}: put "a b" and '*' in quotes.`);
  }
  await command.run(operand, values, placeOf(values, io), io);
}

async function create(operand: string, values: Values, place: Place, io: Io): Promise<void> {
  const now = seconds();
  const terms: KeyTerms = {
    name: readName(operand),
    ...(values.toolkits && { toolkits: readToolkits(values.toolkits, toolkitFolders(io)) }),
    scopes: values.scopes ? readScopes(values.scopes) : [],
    ...(values.rate !== undefined && {
      rate: readRate(values.rate, await rateLimiters(place), sourceOf(place.config)),
    }),
    created: now,
    ...(values.expires !== undefined && { expires: readExpires(values.expires, now) }),
  };
  const key = makeKey(terms);
  const editor = keyEditor(openKv(place, io));
  if (!values.yes) {
    const asked = terms.scopes.some((scope) => scope !== "*");
    await settle(doubts(terms, await editor.list(), asked ? await scopesInUse(place, io) : undefined), io);
  }
  await editor.write(key.id, key.record);
  io.console.log(announce(key, place.remote));
}

async function list(_: string, { json }: Values, place: Place, io: Io): Promise<void> {
  const keys = await keyEditor(openKv(place, io)).list();
  const where = (place.remote ? " --remote" : "") + whereOptions(place, io);
  const none = `There are no keys. To create one: npm run keys -- create NAME${where}`;
  const rows = keys.map(({ id, terms }) => ({ id, ...terms }));
  io.console.log(json ? JSON.stringify(rows, undefined, 2) : keys.length > 0 ? table(keys, seconds()) : none);
}

async function revoke(operand: string, _: Values, place: Place, io: Io): Promise<void> {
  const editor = keyEditor(openKv(place, io));
  const keys = await editor.list();
  // Accept the whole key too: someone who found a leaked key has its text.
  const id = /^trivet_([0-9a-z]{16})(?:_|$)/.exec(operand)?.[1] ?? operand;
  const byId = keys.filter((key) => key.id === id);
  const found = byId.length > 0 ? byId : keys.filter(({ terms }) => terms?.name === operand);
  const [key] = found;
  if (key === undefined) {
    const hint = place.remote
      ? "A new key may take a minute to be listed"
      : "For a key of the deployment, add --remote";
    throw new Mistake(`No key has that id or name. ${hint}.`);
  }
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(" or ");
    throw new Mistake(`${found.length} keys have the name "${operand}": revoke by id, ${ids}.`);
  }
  await editor.remove(key.id);
  io.console.log(`Revoked ${key.id}${key.terms ? ` ("${key.terms.name}")` : ""}. It may still work for two minutes.`);
}

function placeOf({ remote = false, config, env, "persist-to": persistTo }: Values, io: Io): Place {
  if (remote && persistTo !== undefined)
    throw new Mistake("--persist-to is for keys on this machine, and cannot be used with --remote.");
  return { remote, env, config: configOf(config, io), persistTo: persistTo && resolve(io.cwd, persistTo) };
}

/**
 * Scopes that a tool, prompt or resource demands, or that clients request when they sign in; undefined if a tool is
 * broken, because the scopes of the others are not all.
 */
async function scopesInUse(place: Place, { root }: Io): Promise<string[] | undefined> {
  const tools = join(root, "tools");
  if (!existsSync(tools)) return undefined;
  // Loaded lazily, because it takes a while and only --scopes needs it.
  const { discover } = await import("../../discovery/discover.ts");
  const found = await discover(tools, undefined);
  if ("problems" in found) return undefined;
  const demanded = primitivesOf(found).flatMap(({ options }) => options.scopes ?? []);
  // No tool needs to demand what is in OAUTH_SCOPES.
  const { OAUTH_SCOPES } = (await readConfig(place.config, place.env)).vars;
  const signIn = typeof OAUTH_SCOPES === "string" ? OAUTH_SCOPES.split(/[\s,]+/).filter(Boolean) : [];
  return [...new Set([...demanded, ...signIn])].sort();
}

async function rateLimiters({ config, env }: Place): Promise<string[]> {
  const { ratelimits } = await readConfig(config, env);
  return ratelimits.map(({ name }: { name: string }) => name);
}

function toolkitFolders({ root }: Io): string[] {
  const tools = join(root, "tools");
  // git does not keep the folder if the last tool is deleted.
  if (!existsSync(tools)) return [];
  const folders = readdirSync(tools, { withFileTypes: true }).filter((entry) => !entry.isFile());
  const names = folders.map(({ name }) => name).filter((name) => /^[a-z][a-z0-9-]*$/.test(name));
  return names.filter((name) => name !== "node_modules").sort();
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}
