/** What wrangler.toml gives a Worker: the bindings and rate limiters of definitions, and the parts that are bundled. */
import { normalize } from "node:path/posix";
import type { Unstable_Config as Config } from "wrangler";
import { readSettings } from "../../settings.ts";
import { type BindingTypes, bindingTypesIn } from "../bindings/bindings.ts";
import { type Bundling, bundlingOf } from "../lib/bundling.ts";
import type { OptionalParts } from "../read/discovery.ts";
import type { Environment } from "./parse.ts";
import type { WranglerToml } from "./read.ts";

/** What discovery needs of wrangler.toml to check definitions. Environments share one bundle: any of them counts. */
export interface Available extends OptionalParts {
  /** The numbers in the names of its rate limiters, such as 60 for RATE_60. */
  readonly limiters: ReadonlySet<number>;
  readonly bindings: BindingTypes;
  /** The longest of the server's names. */
  readonly serverName: string;
  readonly bundling: Bundling;
  /** What long tools need and some environment does not have, and the lines that add it; undefined if nothing. */
  readonly lackingForLong: { readonly names: string; readonly lines: string } | undefined;
}

/** The parts without a wrangler.toml. */
export const DEFAULT_PARTS: OptionalParts = {
  documents: true,
  traces: false,
  hasWorkflow: false,
  hasFiles: undefined,
  hasOutbox: false,
  hasSessions: true,
  hasPage: false,
};

/** @returns what all environments have together; undefined without a wrangler.toml */
export function availableIn({ project, environments }: WranglerToml): Available | undefined {
  const configs = environments.map(({ config }) => config);
  if (configs.length === 0) return undefined;
  const settings = configs.map(({ vars }) => readSettings(vars).settings);
  const [serverName = ""] = settings.map(({ name }) => name).sort((a, b) => b.length - a.length);
  return {
    limiters: new Set(configs.flatMap(limitersIn)),
    bindings: bindingTypesIn(project, environments),
    serverName,
    bundling: bundlingOf(project, configs),
    documents: settings.some(({ hasDocuments }) => hasDocuments),
    traces: configs.some(({ observability }) => observability?.traces?.enabled),
    hasWorkflow: configs.some(hasWorkflow),
    hasFiles: configs.some((config) => hasFileBucket(config) || hasFileRecords(config)),
    hasOutbox: configs.some((config) => hasObjects(config, "OUTBOX", "Outbox")),
    hasSessions: configs.some((config) => hasObjects(config, "SESSIONS", "Sessions")),
    hasPage: configs.some(hasPage),
    lackingForLong: lackingForLong(environments),
  };
}

/** The numbers in the names of a configuration's rate limiters. */
export function limitersIn({ ratelimits }: Config): number[] {
  return ratelimits.flatMap(({ name }) => /^RATE_(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/** Whether a rule says that .md files are text. */
export function importsMarkdown({ rules }: Pick<Config, "rules">): boolean {
  return rules.some(({ type, globs }) => type === "Text" && globs.some((glob) => glob.endsWith(".md")));
}

/** Whether it has the workflow that runs long tools. */
export function hasWorkflow({ workflows }: Pick<Config, "workflows">): boolean {
  return workflows.some(({ binding, class_name }) => binding === "LONG" && class_name === "LongRun");
}

/** Whether it has the bucket for files. */
export function hasFileBucket({ r2_buckets }: Pick<Config, "r2_buckets">): boolean {
  return r2_buckets.some(({ binding }) => binding === "FILES");
}

/** Whether it has the objects that keep which files there are. */
export function hasFileRecords(config: Pick<Config, "durable_objects">): boolean {
  return hasObjects(config, "FILE_RECORDS", "FileRecords");
}

/** Whether it has a binding for the Durable Objects of a class of ours. */
function hasObjects({ durable_objects }: Pick<Config, "durable_objects">, binding: string, className: string): boolean {
  return durable_objects.bindings.some(({ name, class_name }) => name === binding && class_name === className);
}

/** The folder of the page at /, relative to wrangler.toml. */
export const PAGE_FOLDER = "src/generated/front-page";

/** Whether it serves the page at /. Assets of another folder are the fork's own. */
export function hasPage({ assets }: Pick<Config, "assets">): boolean {
  return assets?.directory !== undefined && normalize(`${assets.directory}/`) === `${PAGE_FOLDER}/`;
}

/** What wrangler.toml lacks to run long tools, by name, and the lines that add it. Environments inherit no bindings. */
function lackingForLong(environments: readonly Environment[]): Available["lackingForLong"] {
  const lacking = environments.flatMap(({ config, name }) => {
    const [under, where] = name === undefined ? ["", ""] : [`env.${name}.`, ` in [env.${name}]`];
    const workflow = [
      ...[`[[${under}workflows]]`, `name = "${config.name ?? "trivet"}-long"`],
      ...['binding = "LONG"', 'class_name = "LongRun"'],
    ];
    return [
      ...(hasWorkflow(config) ? [] : [{ name: `the workflow LONG${where}`, lines: workflow }]),
      ...(hasClaims(config)
        ? []
        : [{ name: `the binding CLAIMS${where}`, lines: bindingLines("CLAIMS", "Claims", under) }]),
    ];
  });
  if (lacking.length === 0) return undefined;
  const withoutClaims = environments.find(({ config }) => !hasClaims(config));
  const migration = withoutClaims ? migrationLines("claims", "Claims", withoutClaims.config) : [];
  return {
    names: lacking.map(({ name }) => name).join(", "),
    lines: [...lacking.flatMap(({ lines }) => lines), ...migration].join("\n"),
  };
}

function hasClaims(config: Config): boolean {
  return hasObjects(config, "CLAIMS", "Claims");
}

/** The lines that bind the Durable Objects of a class of ours. */
function bindingLines(binding: string, className: string, under = ""): string[] {
  return [`[[${under}durable_objects.bindings]]`, `name = "${binding}"`, `class_name = "${className}"`];
}

/** The lines that make a class, unless a migration does. */
function migrationLines(tag: string, className: string, { migrations }: Pick<Config, "migrations">): string[] {
  if (migrations.some(({ new_sqlite_classes }) => new_sqlite_classes?.includes(className))) return [];
  return ["[[migrations]]", `tag = "${tag}"`, `new_sqlite_classes = ["${className}"]`];
}

/** The lines of wrangler.toml that add the outbox. */
export const OUTBOX_LINES = [
  ...bindingLines("OUTBOX", "Outbox"),
  ...migrationLines("outbox", "Outbox", { migrations: [] }),
].join("\n");

/** What becomes of files without both of their bindings. */
export const WITHOUT_FILES = "calls with attachments are refused";

/**
 * The lines of wrangler.toml that files need and that are not there yet.
 *
 * @param config what is there
 * @param env    the environment to add them to, if it is not the top level
 */
export function fileLines(config: Pick<Config, "r2_buckets" | "durable_objects" | "migrations">, env?: string): string {
  const under = env === undefined ? "" : `env.${env}.`;
  return [
    ...(hasFileBucket(config) ? [] : [`[[${under}r2_buckets]]`, 'binding = "FILES"']),
    ...(hasFileRecords(config) ? [] : bindingLines("FILE_RECORDS", "FileRecords", under)),
    ...migrationLines("files", "FileRecords", config),
  ].join("\n");
}

/** Whether the Worker checks tokens: `#tokens` is one of the parts that are turned on. */
export function bundlesTokens({ alias }: Pick<Config, "alias">): boolean {
  const part = alias?.["#tokens"];
  return part !== undefined && !part.endsWith("/off.ts");
}
