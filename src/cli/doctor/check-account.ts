/** Checks what is on the account: secrets that tools require, migrations, keys, and scopes that no key grants. */
import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { ListedKey } from "../../core/ports/key-records.ts";
import { assignment, tableName } from "../../discovery/lib/settings-format.ts";
import { someOf } from "../../discovery/lib/some-of.ts";
import type { Discovery } from "../../discovery/read/discovery.ts";
import { problemIn } from "../../discovery/read/problem.ts";
import { credentialsOf } from "../../discovery/settings/available.ts";
import { TOKEN_SETTINGS } from "../../discovery/settings/check.ts";
import { databasesIn } from "../../discovery/settings/databases.ts";
import { pathIn } from "../../discovery/settings/parse.ts";
import { valuesOf } from "../../discovery/settings/secrets.ts";
import { type Config, configArguments, sourceOf, whereOptions } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { keyEditor } from "../lib/key-editor.ts";
import { openKv, type Place } from "../lib/kv.ts";
import { lineOf } from "../lib/lines.ts";
import { Mistake } from "../lib/mistake.ts";
import { primitivesOf } from "../lib/primitives.ts";
import { wrangler } from "../lib/wrangler.ts";
import { checkDatabases } from "./check-databases.ts";
import { error, type Finding, fixIn, placeIn, warning } from "./finding.ts";

/** @param found undefined if tools/ has mistakes */
export async function checkAccount(found: Discovery | undefined, config: Config, place: Place, io: Io) {
  const where = whereOptions(place, io);
  const required = found === undefined ? [] : requiredBy(found, io.root);
  const secrets = await orReason(secretNames(place, io));
  if (secrets instanceof Mistake) {
    const names = [...new Set(required.map(({ name }) => name))];
    const which = names.length > 0 ? ` (${names.join(", ")})` : "";
    const migrations = databasesIn(config, dirname(place.config)).length > 0 ? ", migrations" : "";
    const all = `secrets that tools require${which}${migrations}, keys and scopes`;
    return { findings: [], unchecked: [`${all}. ${secrets.message}`] };
  }
  const findings = [...checkSecrets(required, [...secrets, ...Object.keys(config.vars)], where)];
  const databases = await orReason(checkDatabases(config, place, io));
  const unchecked = databases instanceof Mistake ? [`migrations. ${databases.message}`] : [];
  if (!(databases instanceof Mistake)) findings.push(...databases);
  const signed = secrets.filter((name) => TOKEN_SETTINGS.includes(name));
  const areChecked = credentialsOf(config).takesTokens;
  findings.push(...checkTokens(areChecked ? [] : signed, place, io));
  // Whoever signs the tokens decides on their scopes, so keys do not say which scopes are granted.
  if (areChecked && (config.vars.JWT_ISSUER || signed.length > 0)) return { findings, unchecked };
  const keys = await orReason(keyEditor(openKv(place, io)).list());
  if (keys instanceof Mistake) return { findings, unchecked: [...unchecked, `keys and scopes. ${keys.message}`] };
  findings.push(...checkKeys(keys, config.vars.PUBLIC === "true", found, where, io.root));
  return { findings, unchecked };
}

async function secretNames(place: Place, io: Io): Promise<string[]> {
  const args = ["secret", "list", "--format=json", ...configArguments(place)];
  const printed = await wrangler(io, dirname(place.config), args);
  const list: { name: string }[] = JSON.parse(printed.slice(printed.indexOf("[")));
  return list.map(({ name }) => name);
}

/** Discovery refuses unused settings of tokens in the file. It does not know the account's secrets. */
function* checkTokens(unused: readonly string[], place: Place, io: Io): Generator<Finding> {
  if (unused.length === 0) return;
  const names = unused.join(" and ");
  const problem =
    `the account has the secret ${names}, but the part of the Worker that checks tokens is not turned on: ` +
    "every token gets 401";
  const remove = unused.map((name) => `npx wrangler secret delete ${name}${whereOptions(place, io)}`).join("; ");
  const source = sourceOf(place.config);
  const vars = pathIn(place.env, "vars");
  const add = fixIn(place.config, `write ${assignment(source, "TOKENS", "true")} under ${tableName(source, vars)}`);
  const fix = `${add}; or, to refuse tokens: ${remove}`;
  // The line that turns tokens on, which is commented out in a new fork.
  const line = lineOf(readFileSync(place.config, "utf8"), /^[\s#/]*"?TOKENS"?\s*[=:]/);
  yield error(problemIn(relative(io.root, place.config), { problem, fix, line }));
}

function orReason<Value>(read: Promise<Value>): Promise<Value | Mistake> {
  return read.catch((reason: unknown) => {
    if (reason instanceof Mistake) return reason;
    throw reason;
  });
}

/** The values that tools require, each with the tool and the line that requires it. */
function requiredBy(found: Discovery, root: string) {
  return primitivesOf(found).flatMap(({ name: id, path, options }) =>
    valuesOf(options.requirements).map((value) => ({ ...value, id, file: placeIn(root, path, value.name) })),
  );
}

/** @param where the options that end each command */
function checkSecrets(required: ReturnType<typeof requiredBy>, present: readonly string[], where: string): Finding[] {
  const missing = Map.groupBy(
    required.filter(({ name }) => !present.includes(name)),
    ({ name, isOwn }) => `${name} ${isOwn}`,
  );
  return [...missing.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { name, file, isOwn } = first;
    const problem = `${said(all, "require")} ${name}, and the account has no such secret`;
    const fix = `npx wrangler secret put ${name}${where}`;
    if (isOwn) return error({ file, problem, fix });
    const or = 'write from: "caller" if only callers should send it';
    return warning({ file, problem: `${problem}: only callers over OXP can send it`, fix: `${fix}, or ${or}` });
  });
}

/** How many tools a finding names at most. */
const MAX_NAMED = 3;

/** `Clock.Tell requires`, or `Clock.Tell, Clock.Wind, Clock.Set and 7 more require`: what many lack is said once. */
function said(all: readonly { readonly id: string }[], verb: string): string {
  const names = someOf(
    all.map(({ id }) => id),
    MAX_NAMED,
  );
  return `${names} ${verb}${all.length === 1 ? "s" : ""}`;
}

/** @param where the options that end each command */
function* checkKeys(
  keys: readonly ListedKey[],
  isPublic: boolean,
  found: Discovery | undefined,
  where: string,
  root: string,
) {
  const now = Math.floor(Date.now() / 1_000);
  const valid = keys.flatMap(({ terms }) => (terms && (terms.expires ?? Infinity) > now ? [terms] : []));
  if (valid.length === 0 && !isPublic) {
    const problem = 'there are no keys, and PUBLIC is not "true": no one can call';
    yield warning({ file: "the account", problem, fix: `npm run keys -- create NAME --remote${where}` });
  }
  if (found === undefined) return;
  const unreached = primitivesOf(found).flatMap(({ name: id, path, toolkit, options }) => {
    const demanded = options.scopes ?? [];
    const isHeld = valid.some(({ scopes, toolkits }) => {
      const reaches = toolkits === undefined || toolkits.includes(toolkit);
      return reaches && (scopes.includes("*") || demanded.every((scope) => scopes.includes(scope)));
    });
    // Without any key, one finding says it all.
    return demanded.length === 0 || isHeld || valid.length === 0 ? [] : [{ id, path, scopes: demanded.join(",") }];
  });
  for (const [scopes, all] of Map.groupBy(unreached, (one) => one.scopes)) {
    const problem = `${said(all, "demand")} ${scopes}, and no key grants that: no one can call ${all.length > 1 ? "them" : "it"}`;
    const fix = `npm run keys -- create NAME --scopes ${scopes} --remote${where}`;
    yield warning({ file: placeIn(root, all[0]?.path ?? "", "scopes"), problem, fix });
  }
}
