/**
 * Reads what a Worker has from the settings file: bindings, rate limiters, and what decides which features it bundles.
 */
import { normalize } from "node:path/posix";
import type { Unstable_Config as Config } from "wrangler";
import type { BindingKind, ForkSettings } from "../../features/manifest.ts";
import { MANIFESTS } from "../../features/manifests.ts";
import { readSettings } from "../../settings.ts";
import { type BindingTypes, bindingTypesIn } from "../bindings/bindings.ts";
import { type Bundling, bundlingOf } from "../lib/bundling.ts";
import { inEnvironment, linesOf, type SettingsFragment, tableName } from "../lib/settings-format.ts";
import { type Environment, pathIn } from "./parse.ts";
import type { SettingsFile } from "./read-settings-file.ts";

/**
 * What discovery needs of the settings file to check definitions. Environments share one bundle, so what any of them
 * has counts.
 */
export interface Available {
  /** What decides which features are bundled. */
  readonly forFeatures: ForkSettings;
  readonly file: string;
  /** The numbers in the names of its rate limiters, such as 60 for RATE_60. */
  readonly limiters: ReadonlySet<number>;
  readonly bindings: BindingTypes;
  /** The longest of the server's names in all environments. */
  readonly serverName: string;
  readonly bundling: Bundling;
  /** What long tools need and some environment lacks, and the lines that add it; undefined if nothing is missing. */
  readonly lackingForLong: { readonly names: string; readonly lines: string } | undefined;
}

/** What counts if there is no settings file. */
export const NO_SETTINGS: ForkSettings = {
  bound: new Set(["FILES", "FILE_RECORDS", "SESSIONS"]),
  documents: true,
  traces: false,
  hasSignIn: false,
  takesTokens: false,
};

/** @returns what all environments have together; undefined without a settings file */
export function availableIn({ project, name: file, environments }: SettingsFile): Available | undefined {
  const configs = environments.map(({ config }) => config);
  if (configs.length === 0) return undefined;
  const settings = configs.map(({ vars }) => readSettings(vars).settings);
  const [serverName = ""] = settings.map(({ name }) => name).sort((a, b) => b.length - a.length);
  return {
    file,
    limiters: new Set(configs.flatMap(limitersIn)),
    bindings: bindingTypesIn(project, environments),
    serverName,
    bundling: bundlingOf(project, configs, file),
    forFeatures: {
      bound: boundIn(configs),
      documents: settings.some(({ hasDocuments }) => hasDocuments),
      traces: configs.some(({ observability }) => observability?.traces?.enabled),
      hasSignIn: settings.some(({ hasSignIn }) => hasSignIn),
      takesTokens: settings.some(({ takesTokens }) => takesTokens),
    },
    lackingForLong: lackingForLong(file, environments),
  };
}

/** The names of bindings of features that at least one of these configurations has. */
function boundIn(configs: readonly Config[]): ReadonlySet<string> {
  const all = MANIFESTS.flatMap(({ bindings = {} }) => Object.entries(bindings));
  const bound = all.filter(([name, kind]) => configs.some((config) => isBound(config, name, kind)));
  return new Set(bound.map(([name]) => name));
}

function isBound(config: Config, name: string, kind: BindingKind): boolean {
  if (kind === "bucket") return config.r2_buckets.some(({ binding }) => binding === name);
  if (kind === "page") return hasPage(config);
  if ("object" in kind) return hasObjects(config, name, kind.object);
  return config.workflows.some(({ binding, class_name }) => binding === name && class_name === kind.workflow);
}

/** The numbers in the names of a configuration's rate limiters. */
export function limitersIn({ ratelimits }: Config): number[] {
  return ratelimits.flatMap(({ name }) => /^RATE_(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/** Whether a rule says that .md files are text. */
export function importsMarkdown({ rules }: Pick<Config, "rules">): boolean {
  return rules.some(({ type, globs }) => type === "Text" && globs.some((glob) => glob.endsWith(".md")));
}

/** Whether the Worker checks tokens, and whether it has its own sign-in. */
export function credentialsOf({ vars }: Pick<Config, "vars">): { takesTokens: boolean; hasSignIn: boolean } {
  return readSettings(vars).settings;
}

/** Whether there is the workflow that runs long tools. */
export function hasWorkflow({ workflows }: Pick<Config, "workflows">): boolean {
  return workflows.some(({ binding, class_name }) => binding === "LONG" && class_name === "LongRun");
}

export function hasFileBucket({ r2_buckets }: Pick<Config, "r2_buckets">): boolean {
  return r2_buckets.some(({ binding }) => binding === "FILES");
}

/** Whether the Durable Objects that record the files are bound. */
export function hasFileRecords(config: Pick<Config, "durable_objects">): boolean {
  return hasObjects(config, "FILE_RECORDS", "FileRecords");
}

/** Whether the Durable Objects of one of Trivet's classes are bound. */
function hasObjects({ durable_objects }: Pick<Config, "durable_objects">, binding: string, className: string): boolean {
  return durable_objects.bindings.some(({ name, class_name }) => name === binding && class_name === className);
}

/** The folder of the page at /, relative to the settings file. */
export const PAGE_FOLDER = "src/generated/front-page";

/** Whether the Worker serves the page at /. Assets of another folder are the fork's own. */
export function hasPage({ assets }: Pick<Config, "assets">): boolean {
  return assets?.directory !== undefined && normalize(`${assets.directory}/`) === `${PAGE_FOLDER}/`;
}

/** Names what the settings lack to run long tools, and the lines that add it. Environments inherit no bindings. */
function lackingForLong(file: string, environments: readonly Environment[]): Available["lackingForLong"] {
  const lacking = environments.flatMap(({ config, name }) => {
    const where = name === undefined ? "" : ` in ${tableName(file, pathIn(name))}`;
    const workflow = { name: `${config.name ?? "trivet"}-long`, binding: "LONG", class_name: "LongRun" };
    return [
      ...(hasWorkflow(config)
        ? []
        : [{ name: `the workflow LONG${where}`, part: inEnvironment(name, { workflows: [workflow] }) }]),
      ...(hasClaims(config)
        ? []
        : [{ name: `the binding CLAIMS${where}`, part: inEnvironment(name, objects("CLAIMS", "Claims")) }]),
    ];
  });
  if (lacking.length === 0) return undefined;
  const withoutClaims = environments.find(({ config }) => !hasClaims(config));
  const migrations = withoutClaims ? migration("claims", "Claims", withoutClaims.config) : [];
  return {
    names: lacking.map(({ name }) => name).join(", "),
    lines: linesOf(file, [...lacking.map(({ part }) => part), ...migrations]),
  };
}

function hasClaims(config: Config): boolean {
  return hasObjects(config, "CLAIMS", "Claims");
}

/** The settings that bind the Durable Objects of a class. */
function objects(name: string, class_name: string): SettingsFragment {
  return { durable_objects: { bindings: [{ name, class_name }] } };
}

/** The migration that creates a class; none if there is one already. */
function migration(tag: string, className: string, { migrations }: Pick<Config, "migrations">): SettingsFragment[] {
  if (migrations.some(({ new_sqlite_classes }) => new_sqlite_classes?.includes(className))) return [];
  return [{ migrations: [{ tag, new_sqlite_classes: [className] }] }];
}

/**
 * Renders the lines that add a binding which every Worker has.
 *
 * @param file   the name of the settings file
 * @param config what is there
 * @param env    the environment to add them to, if it is not the top level
 */
export function bindingLines(
  file: string,
  binding: string,
  config: Pick<Config, "migrations">,
  env: string | undefined,
): string {
  if (binding === "KV") return linesOf(file, [inEnvironment(env, { kv_namespaces: [{ binding }] })]);
  const type = binding.charAt(0) + binding.slice(1).toLowerCase();
  return linesOf(file, [inEnvironment(env, objects(binding, type)), ...migration(binding.toLowerCase(), type, config)]);
}

/** The lines of a settings file that add the outbox. */
export function outboxLines(file: string): string {
  return linesOf(file, [objects("OUTBOX", "Outbox"), ...migration("outbox", "Outbox", { migrations: [] })]);
}

/** What a Worker does without both bindings for files, in words. */
export const WITHOUT_FILES = "calls with attachments are refused";

/**
 * Renders the lines that add what files need and the configuration lacks.
 *
 * @param file   the name of the settings file
 * @param config what is there
 * @param env    the environment to add them to, if it is not the top level
 */
export function fileLines(
  file: string,
  config: Pick<Config, "r2_buckets" | "durable_objects" | "migrations">,
  env?: string,
): string {
  const bucket = { r2_buckets: [{ binding: "FILES" }] };
  return linesOf(file, [
    ...(hasFileBucket(config) ? [] : [inEnvironment(env, bucket)]),
    ...(hasFileRecords(config) ? [] : [inEnvironment(env, objects("FILE_RECORDS", "FileRecords"))]),
    ...migration("files", "FileRecords", config),
  ]);
}
