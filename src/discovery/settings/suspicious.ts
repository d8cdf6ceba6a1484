/** Warns about settings that are probably missing or misspelled. A fork may mean them, so nothing here is an error. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Unstable_Config as Config } from "wrangler";
import { secretFilesIn } from "../bindings/bindings.ts";
import {
  assignment,
  element,
  lineOfSetting,
  lineOfValue,
  type SettingsText,
  tableName,
} from "../lib/settings-format.ts";
import { closest } from "../lib/spelling.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { readAllSettings } from "./all-settings.ts";
import { bindingLines, fileLines, hasFileBucket, hasFileRecords, WITHOUT_FILES } from "./available.ts";
import { wrongCrons } from "./crons.ts";
import { complaintOf } from "./ignored-fields.ts";
import { type Environment, pathIn } from "./parse.ts";
import type { SettingsFile } from "./read-settings-file.ts";

/** Warns about all environments, and about the files with the values of this machine. */
export function suspiciousSettings(file: SettingsFile): Problem[] {
  const configs = file.environments.map(({ config }) => config);
  const complaints = file.environments.flatMap((environment) => [
    ...missingBindings(environment, file),
    ...missingFiles(environment, file),
  ]);
  // The warning about a missing binding already has the lines that create its class.
  const made = (type: string) => complaints.some(({ fix }) => fix.includes(`["${type}"]`));
  const unmade = configs.flatMap((config) => unmadeClasses(config, file)).filter(({ type }) => !made(type));
  complaints.push(...wrongCrons(configs, file.text), ...unmade);
  return [
    ...misspelledSettings(file),
    ...complaints.map((complaint) => problemIn(file.name, complaint)),
    ...cutValues(file.project),
  ];
}

/** Finds names in all environments that neither Trivet nor wrangler knows, or that are in a wrong place. */
export function misspelledSettings(file: SettingsFile): Problem[] {
  const complaints = file.environments.flatMap((environment) => [
    ...environment.ignoredFields.map((field) => complaintOf(field, file)),
    ...misspelled(environment, file),
  ]);
  return complaints.map((complaint) => problemIn(file.name, complaint));
}

function misspelled({ config, name: env, varsHeading }: Environment, file: SettingsFile): Complaint[] {
  // LOCAL is for `npm start` alone.
  const known = readAllSettings({}).names.filter((name) => name !== "LOCAL");
  return Object.keys(config.vars).flatMap((name) => {
    const meant = known.includes(name) ? undefined : closest(name, known);
    if (meant === undefined) return [];
    const problem = `${name} in ${varsHeading} is not a setting of Trivet`;
    const fix = `did you mean ${meant}? If it is your own variable, rename it`;
    return [{ problem, fix, line: lineOfSetting(file.name, file.text, pathIn(env, "vars", name)) }];
  });
}

/** `NAME=text#more`, or `NAME=#text`: with a blank before it or behind it, `#` is meant as a comment. */
const CUT = /^\s*(?:export\s+)?([\w.-]+)\s*=[ \t]*(?!["'`])(?:(\S(?:[^#\n]*[^#\s])?)#|#\S)/;

/** Finds values that the Worker gets only up to a `#`. The messages do not show them, because they may be secret. */
function cutValues(project: string): Problem[] {
  return secretFilesIn(project).flatMap((file) => {
    const text = readFileSync(join(project, file), "utf8");
    const values = parseEnv(text);
    return text.split("\n").flatMap((line, index) => {
      const [, name, before = ""] = CUT.exec(line) ?? [];
      // A line inside a value in quotes may look like a variable.
      if (name === undefined || values[name] !== before) return [];
      const problem = `the value of ${name} ends before the "#": without quotes, the rest of the line is a comment`;
      return problemIn(file, { problem, fix: `write it in quotes: ${name}="…"`, line: index + 1 });
    });
  });
}

/** Bindings that src/runtime.ts uses, and what fails without them. */
const BINDINGS: Readonly<Record<string, string>> = {
  KV: "keys, results and sessions have no place",
  VAULT: "there is no key to sign sessions and idempotency records with",
  MAILBOX: "tools cannot ask a user in a session, nor can a client resume a stream",
  HUB: "no client hears of changes",
};

/** Finds missing bindings. wrangler does not pass bindings on to environments: each needs its own. */
function missingBindings({ config, name }: Environment, file: SettingsFile): Complaint[] {
  // Without `main`, this is not a Worker, and wrangler says so itself.
  if (config.main === undefined) return [];
  const where = name === undefined ? "" : ` in ${tableName(file.name, pathIn(name))}`;
  return lackingBindings(config).map(([binding, lost]) => ({
    problem: `the binding ${binding} is missing${where}: ${lost}`,
    fix: `add these lines:\n${bindingLines(file.name, binding, config, name)}`,
  }));
}

/** Finds environments with only one of the two bindings for files, or with neither although another one has both. */
function missingFiles({ config, name }: Environment, file: SettingsFile): Complaint[] {
  if (config.main === undefined) return [];
  const missing = lackingForFiles(config);
  const isOff =
    missing.length === 2 && !(name && file.environments.some((other) => lackingForFiles(other.config).length === 0));
  if (missing.length === 0 || isOff) return [];
  const where = name === undefined ? "" : ` in ${tableName(file.name, pathIn(name))}`;
  const which = missing.length === 2 ? "the bindings FILES and FILE_RECORDS are" : `the binding ${missing[0]} is`;
  const problem = `${which} missing${where}: there, ${WITHOUT_FILES}`;
  const fix = `add these lines (docs/files.md), or leave it so if no tool takes attachments:\n${fileLines(file.name, config, name)}`;
  return [{ problem, fix }];
}

export function lackingForFiles(config: Config): string[] {
  return [...(hasFileBucket(config) ? [] : ["FILES"]), ...(hasFileRecords(config) ? [] : ["FILE_RECORDS"])];
}

/** @returns the names of missing bindings that src/runtime.ts uses, and what fails without each */
export function lackingBindings(config: Config): [name: string, lost: string][] {
  const names = boundNames(config);
  return Object.entries(BINDINGS).filter(([name]) => !names.includes(name));
}

/** The classes of Durable Objects that Trivet has. */
const OWN = ["Vault", "Mailbox", "Hub", "Claims", "Sessions", "Outbox", "FileRecords"];

/** Finds bindings to classes of this Worker that no migration creates: Cloudflare refuses to deploy them. */
export function unmadeClasses({ durable_objects, migrations, exports }: Config, file: SettingsText) {
  const made = classesMadeBy(migrations);
  return durable_objects.bindings.flatMap(({ name, class_name: type, script_name: owner }) => {
    if (owner !== undefined || made.includes(type) || (exports && type in exports)) return [];
    const problem = `${name} is bound to the class ${type}, which no migration makes: Cloudflare refuses to deploy`;
    const add = `add ${element(file.name, ["migrations"], { new_sqlite_classes: [type] })} and a new tag`;
    // tools/worker.ts cannot add a class.
    const other = `add ${assignment(file.name, "script_name", "…")}, the Worker that has the class ${type}`;
    return [{ type, problem, fix: OWN.includes(type) ? add : other, line: lineOfValue(type, file.text) }];
  });
}

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
