/** Checks what is on the account: secrets that tools require, keys, and scopes that no key grants. */
import { dirname } from "node:path";
import type { Discovery } from "../../build/read/discovery.ts";
import type { Requirements } from "../../core/model/definition.ts";
import type { ListedKey } from "../../core/ports/key-records.ts";
import { keyEditor } from "../keys/editor.ts";
import { openKv, type Place } from "../keys/kv.ts";
import type { Config } from "../lib/config.ts";
import { Mistake } from "../lib/mistake.ts";
import { wrangler } from "../lib/wrangler.ts";
import { error, type Finding, warning } from "./finding.ts";

interface Checked {
  readonly findings: readonly Finding[];
  readonly unchecked: readonly string[];
}

/** A value that tools require by name, and which of them. */
interface Required {
  readonly name: string;
  readonly id: string;
  readonly file: string;
  /** Whether only the Worker can have it. */
  readonly isOwn: boolean;
}

/** @param found undefined if tools/ has mistakes */
export async function checkAccount(found: Discovery | undefined, config: Config, place: Place): Promise<Checked> {
  const required = found === undefined ? [] : requiredBy(found);
  const secrets = orReason(() => secretNames(place));
  if (secrets instanceof Mistake) {
    const names = [...new Set(required.map(({ name }) => name))];
    const which = names.length > 0 ? ` (${names.join(", ")})` : "";
    return { findings: [], unchecked: [`secrets that tools require${which}, keys and scopes. ${secrets.message}`] };
  }
  const findings = [...checkSecrets(required, [...secrets, ...Object.keys(config.vars)])];
  // Whoever signs the tokens decides on their scopes.
  if (config.vars.JWT_ISSUER || secrets.includes("JWT_SECRET")) return { findings, unchecked: [] };
  const keys = await keyEditor(openKv(place))
    .list()
    .catch((reason: unknown) => {
      if (reason instanceof Mistake) return reason;
      throw reason;
    });
  if (keys instanceof Mistake) return { findings, unchecked: [`keys and scopes. ${keys.message}`] };
  findings.push(...checkKeys(keys, config, found));
  return { findings, unchecked: [] };
}

function secretNames({ config, env }: Place): string[] {
  const args = [
    "secret",
    "list",
    "--format=json",
    `--config=${config}`,
    ...(env === undefined ? [] : [`--env=${env}`]),
  ];
  const printed = wrangler(dirname(config), args);
  const list: { name: string }[] = JSON.parse(printed.slice(printed.indexOf("[")));
  return list.map(({ name }) => name);
}

function orReason<Value>(read: () => Value): Value | Mistake {
  try {
    return read();
  } catch (reason) {
    if (reason instanceof Mistake) return reason;
    throw reason;
  }
}

function requiredBy({ tools, prompts, resources }: Discovery): Required[] {
  const offers = [
    ...tools.map(({ id, path, traits }) => ({ id, path, requirements: traits.requirements })),
    ...prompts.map(({ name, path, traits }) => ({ id: name, path, requirements: traits.requirements })),
    ...resources.map(({ uri, path, traits }) => ({ id: uri, path, requirements: traits.requirements })),
  ];
  return offers.flatMap(({ id, path, requirements }) =>
    valuesOf(requirements).map(({ name, isOwn }) => ({ name, isOwn, id, file: path.slice(path.indexOf("tools/")) })),
  );
}

/** What the Worker may have of a definition's requirements. */
function valuesOf({ secrets = [], authorization = [] }: Requirements = {}): { name: string; isOwn: boolean }[] {
  return [...secrets.map((secret) => (typeof secret === "string" ? { id: secret } : secret)), ...authorization].flatMap(
    (item) => {
      const from = "from" in item ? item.from : undefined;
      return from === "caller" ? [] : [{ name: item.id, isOwn: from === "worker" }];
    },
  );
}

function* checkSecrets(required: readonly Required[], present: readonly string[]): Generator<Finding> {
  for (const { name, id, file, isOwn } of required) {
    if (present.includes(name)) continue;
    const put = `npx wrangler secret put ${name}`;
    if (isOwn) yield error({ file, problem: `${id} requires ${name}, and the account has no such secret`, fix: put });
    else {
      const problem = `${id} requires ${name}, and the account has no such secret: only callers over OXP can send it`;
      yield warning({ file, problem, fix: `${put}, or write from: "caller" if only callers should send it` });
    }
  }
}

function* checkKeys(keys: readonly ListedKey[], { vars }: Config, found: Discovery | undefined): Generator<Finding> {
  const now = Math.floor(Date.now() / 1_000);
  const valid = keys.flatMap(({ terms }) =>
    terms !== undefined && (terms.expires === undefined || terms.expires > now) ? [terms] : [],
  );
  const isPublic = vars.PUBLIC === "true";
  if (valid.length === 0 && !isPublic) {
    const problem = 'there are no keys, and PUBLIC is not "true": no one can call';
    yield warning({ file: "the account", problem, fix: "npm run keys -- create NAME --remote" });
  }
  if (found === undefined) return;
  const { tools, prompts, resources } = found;
  const offers = [...tools.map(({ id, ...tool }) => ({ ...tool, name: id })), ...prompts];
  const all = [...offers, ...resources.map(({ uri, ...resource }) => ({ ...resource, name: uri }))];
  for (const { name, path, toolkit, traits } of all) {
    const demanded = traits.scopes ?? [];
    const isHeld = valid.some(({ scopes, toolkits }) => {
      const reaches = toolkits === undefined || toolkits.includes(toolkit);
      return reaches && (scopes.includes("*") || demanded.every((scope) => scopes.includes(scope)));
    });
    // Without any key, one finding says it all.
    if (demanded.length === 0 || isHeld || valid.length === 0) continue;
    const scopes = demanded.join(",");
    const fix = `npm run keys -- create NAME --scopes ${scopes} --remote`;
    const file = path.slice(path.indexOf("tools/"));
    yield warning({ file, problem: `${name} demands ${scopes}, and no key grants that: no one can call it`, fix });
  }
}
