/** Warns of what wrangler.toml may lack or misspell. A fork may mean it, so nothing here is an error. */
import type { Unstable_Config as Config } from "wrangler";
import { closest } from "../lib/spelling.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { readAllSettings } from "./all-settings.ts";
import { fileLines, hasFileBucket, hasFileRecords, WITHOUT_FILES } from "./available.ts";
import { wrongCrons } from "./crons.ts";
import type { Environment } from "./parse.ts";
import { FILE, lineOfSetting, lineOfValue, type WranglerToml } from "./read.ts";
import { misplaced } from "./unexpected.ts";

/** Warnings of all environments. */
export function suspiciousSettings(file: WranglerToml): Problem[] {
  const { environments, text } = file;
  const configs = environments.map(({ config }) => config);
  const complaints = environments.flatMap((environment) => [
    ...missingBindings(environment),
    ...missingFiles(environment, environments),
  ]);
  // Warnings of what files lack have the lines that make its class.
  const made = (type: string) => complaints.some(({ fix }) => fix.includes(`["${type}"]`));
  const unmade = configs.flatMap((config) => unmadeClasses(config, text)).filter(({ type }) => !made(type));
  complaints.push(...wrongCrons(configs, text), ...unmade);
  return [...misspelledSettings(file), ...complaints.map((complaint) => problemIn(FILE, complaint))];
}

/** Names that neither we nor wrangler know, or not in their place, in all environments. */
export function misspelledSettings({ environments, text }: WranglerToml): Problem[] {
  const complaints = environments.flatMap((environment) => [
    ...environment.misplaced.map((field) => misplaced(field, text)),
    ...misspelled(environment, text),
  ]);
  return complaints.map((complaint) => problemIn(FILE, complaint));
}

function misspelled({ config, varsHeading }: Environment, text: string): Complaint[] {
  // LOCAL is for `npm start` alone.
  const known = readAllSettings({}).names.filter((name) => name !== "LOCAL");
  return Object.keys(config.vars).flatMap((name) => {
    const meant = known.includes(name) ? undefined : closest(name, known);
    if (meant === undefined) return [];
    const problem = `${name} in ${varsHeading} is not a setting of Trivet`;
    const fix = `did you mean ${meant}? If it is your own variable, rename it`;
    return [{ problem, fix, line: lineOfSetting(name, text, varsHeading) }];
  });
}

/** Bindings that src/runtime.ts uses, and what fails without them. */
const BINDINGS: Readonly<Record<string, string>> = {
  KV: "keys, results and sessions have no place",
  VAULT: "there is no key to sign sessions and idempotency records with",
  MAILBOX: "tools cannot ask a user in a session, nor can a client resume a stream",
  HUB: "no client hears of changes",
};

/** wrangler does not pass bindings on to environments: each needs its own. */
function missingBindings({ config, name }: Environment): Complaint[] {
  // Without it, this is no Worker, and wrangler says so itself.
  if (config.main === undefined) return [];
  const where = name === undefined ? "" : ` in [env.${name}]`;
  return lackingBindings(config).map(([binding, lost]) => ({
    problem: `the binding ${binding} is missing${where}: ${lost}`,
    fix: `copy the lines of ${binding} from upstream's wrangler.toml`,
  }));
}

/** One of the two bindings of files without the other, or neither in an environment, though another has both. */
function missingFiles({ config, name }: Environment, all: readonly Environment[]): Complaint[] {
  if (config.main === undefined) return [];
  const missing = lackingForFiles(config);
  const isOff = missing.length === 2 && !(name && all.some((other) => lackingForFiles(other.config).length === 0));
  if (missing.length === 0 || isOff) return [];
  const where = name === undefined ? "" : ` in [env.${name}]`;
  const which = missing.length === 2 ? "the bindings FILES and FILE_RECORDS are" : `the binding ${missing[0]} is`;
  const problem = `${which} missing${where}: there, ${WITHOUT_FILES}`;
  const fix = `add these lines (docs/files.md), or leave it so if no tool takes attachments:\n${fileLines(config, name)}`;
  return [{ problem, fix }];
}

/** @returns the names of the bindings that files lack */
export function lackingForFiles(config: Config): string[] {
  return [...(hasFileBucket(config) ? [] : ["FILES"]), ...(hasFileRecords(config) ? [] : ["FILE_RECORDS"])];
}

/** @returns the names of missing bindings that src/runtime.ts uses, and what fails without each */
export function lackingBindings(config: Config): [name: string, lost: string][] {
  const names = boundNames(config);
  return Object.entries(BINDINGS).filter(([name]) => !names.includes(name));
}

/** The classes that a Worker of ours can have. */
const OWN = ["Vault", "Mailbox", "Hub", "Claims", "Sessions", "Outbox", "FileRecords"];

/** Cloudflare refuses a binding to a class of this Worker that no migration has made. */
export function unmadeClasses({ durable_objects, migrations, exports }: Config, text: string) {
  const made = classesMadeBy(migrations);
  return durable_objects.bindings.flatMap(({ name, class_name: type, script_name: other }) => {
    if (other !== undefined || made.includes(type) || (exports && type in exports)) return [];
    const problem = `${name} is bound to the class ${type}, which no migration makes: Cloudflare refuses to deploy`;
    const add = `add [[migrations]] with a tag that is new, and new_sqlite_classes = ["${type}"]`;
    // tools/worker.ts can add none.
    const fix = OWN.includes(type) ? add : `add script_name = "…", the Worker that has the class ${type}`;
    return [{ type, problem, fix, line: lineOfValue(type, text) }];
  });
}

/** The classes that migrations make. */
export function classesMadeBy(migrations: Config["migrations"]): string[] {
  return migrations.flatMap(({ new_sqlite_classes = [], new_classes = [], renamed_classes = [] }) => [
    ...new_sqlite_classes,
    ...new_classes,
    ...renamed_classes.map(({ to }) => to),
  ]);
}

/** The names of a configuration's KV namespaces and Durable Objects. */
export function boundNames({ kv_namespaces, durable_objects }: Config): string[] {
  return [...kv_namespaces.map(({ binding }) => binding), ...durable_objects.bindings.map(({ name }) => name)];
}
