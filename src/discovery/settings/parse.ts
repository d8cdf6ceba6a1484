/**
 * Parses the settings file with wrangler. Loading wrangler takes longer than everything else in discovery, so the
 * result is kept on disk, under a hash of the text: discovery runs at each start, test and saved file, and the text
 * rarely changes.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import type { Unstable_Config as Config } from "wrangler";
import type { Binding } from "../bindings/bindings.ts";
import { tableName } from "../lib/settings-format.ts";
import { type IgnoredField, ignoredFieldsIn } from "./ignored-fields.ts";

/** The top level of a settings file, or one of its environments. */
export interface Environment {
  readonly config: Config;
  /** What code finds in `env`, by name. */
  readonly bindings: Readonly<Record<string, Binding>>;
  /** `staging`; undefined for the top level. */
  readonly name: string | undefined;
  /** The table of its variables, in words: `[vars]` or `[env.staging.vars]`. */
  readonly varsHeading: string;
  /** Fields that wrangler ignores, in the whole file: only the top level has them. */
  readonly ignoredFields: readonly IgnoredField[];
}

/** Where an environment has a setting: `["env", "staging", "vars"]`. Without a name, at the top level. */
export function pathIn(name: string | undefined, ...setting: readonly string[]): string[] {
  return [...(name === undefined ? [] : ["env", name]), ...setting];
}

const CACHE = resolve(import.meta.dirname, "../../../node_modules/.cache/trivet-settings");
/** Part of the hash, because what is kept also depends on the code of these files. */
const OWN_TEXTS = [import.meta.filename, join(import.meta.dirname, "ignored-fields.ts")].map((path) =>
  readFileSync(path, "utf8"),
);
const DAY_MS = 86_400_000;

/**
 * @param path of the file
 * @param text what it contains
 * @returns the top level first
 * @throws what wrangler throws if it cannot read the file
 */
export async function parseSettings(path: string, text: string): Promise<Environment[]> {
  const { version } = createRequire(import.meta.url)("wrangler/package.json");
  const kept = join(
    CACHE,
    `${createHash("sha256")
      .update([version, ...OWN_TEXTS, basename(path), text].join("\0"))
      .digest("hex")}.json`,
  );
  try {
    return JSON.parse(readFileSync(kept, "utf8"));
  } catch {
    // Converted to JSON the first time as well, so that a date is always the text that the Worker gets.
    const json = JSON.stringify(await parse(path));
    keep(kept, json);
    return JSON.parse(json);
  }
}

async function parse(path: string): Promise<Environment[]> {
  const wrangler = await import("wrangler");
  const environment = (name?: string) => {
    const config = wrangler.unstable_readConfig({ config: path, env: name ?? "" }, { hideWarnings: true });
    const bindings = wrangler.unstable_convertConfigBindingsToStartWorkerBindings(config) ?? {};
    const varsHeading = tableName(path, pathIn(name, "vars"));
    const ignoredFields =
      name === undefined ? ignoredFieldsIn(wrangler.experimental_readRawConfig({ config: path }).rawConfig) : [];
    return { config, bindings: bindings as Environment["bindings"], name, varsHeading, ignoredFields };
  };
  const top = environment();
  const names: readonly string[] = top.config.definedEnvironments ?? [];
  return [top, ...names.map((name) => environment(name))];
}

/** Writes in one step, since several processes may read, and removes what is older than a day. */
function keep(path: string, json: string): void {
  try {
    mkdirSync(CACHE, { recursive: true });
    const unfinished = `${path}.${process.pid}`;
    writeFileSync(unfinished, json);
    renameSync(unfinished, path);
    for (const name of readdirSync(CACHE)) {
      const old = join(CACHE, name);
      if (Date.now() - statSync(old).mtimeMs > DAY_MS) rmSync(old, { force: true });
    }
  } catch {
    // Where nothing can be written, wrangler parses the file each time.
  }
}
