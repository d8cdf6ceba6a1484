/** Reads the settings file, as wrangler does, and tells wrangler's command line which one to read. */
import { readFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import type { Unstable_Config as Config } from "wrangler";
import { settingsPath } from "../../discovery/settings/find-settings-file.ts";
import type { Io } from "./io.ts";
import { Mistake } from "./mistake.ts";
import { withoutLineBreaks } from "./wrangler.ts";

export type { Unstable_Config as Config } from "wrangler";

/** The first words of a file that `npm run copy` wrote, and may replace. @param source the file that it was made from */
export const copyHead = (source: string) => `// Made from ${source} by \`npm run copy`;

/** Whether `npm run copy` wrote the file. */
export function isCopy(path: string): boolean {
  return /^\/\/ Made from wrangler\.(toml|jsonc?) by `npm run copy/.test(readFileSync(path, "utf8"));
}

/** The name of the file in which settings are corrected: for a copy, the file that it was made from. */
export function sourceOf(config: string): string {
  return basename(isCopy(config) ? settingsPath(dirname(config)) : config);
}

/** Which settings a script works with. */
export interface Where {
  /** Path of the settings file, or of a copy (`npm run copy`). */
  readonly config: string;
  /** One of its environments; undefined for the top level. */
  readonly env: string | undefined;
}

/** The path of the settings file: the one that `--config` names, or else the fork's. */
export function configOf(config: string | undefined, { root, cwd }: Io): string {
  return config === undefined ? settingsPath(root) : resolve(cwd, config);
}

/** `--config` and `--env`, for wrangler. */
export function configArguments({ config, env }: Where): string[] {
  return [`--config=${config}`, ...(env === undefined ? [] : [`--env=${env}`])];
}

/** Options that make a suggested command act on the same Worker: ` --config FILE --env NAME`, or nothing. */
export function whereOptions({ config, env }: Where, io: Io): string {
  const file = config === configOf(undefined, io) ? "" : ` --config ${relative(io.cwd, config)}`;
  return file + (env === undefined ? "" : ` --env ${env}`);
}

/**
 * @param config path of the settings file
 * @param env    one of its environments; undefined for the top level
 * @throws {Mistake} if it cannot be read
 */
export async function readConfig(config: string, env: string | undefined): Promise<Config> {
  // Loaded lazily, because it takes a while.
  const { unstable_readConfig: read } = await import("wrangler");
  try {
    return read({ config, env: env ?? "" }, { hideWarnings: true });
  } catch (error) {
    throw new Mistake(withoutLineBreaks(String((error as Error).message)));
  }
}

/**
 * Reads the settings file as it is written: without wrangler's defaults, and with its environments.
 *
 * @param config path of the settings file
 * @throws {Mistake} if wrangler would refuse it
 */
export async function readRawConfig(config: string): Promise<Readonly<Record<string, unknown>>> {
  await readConfig(config, undefined);
  const { experimental_readRawConfig: read } = await import("wrangler");
  return { ...read({ config }).rawConfig };
}

/** The patterns of all routes and custom domains, such as `tools.example.com` and `example.com/*`. */
export function routesIn({ routes = [], route }: Config): string[] {
  const all = [...routes, ...(route === undefined ? [] : [route])];
  return all.map((one) => (typeof one === "string" ? one : one.pattern).replace(/^https?:\/\//, ""));
}

/** Whether a route matches only a part of its host's paths. */
export function hasPath(pattern: string): boolean {
  return !/^[^/]+(\/\*?)?$/.test(pattern);
}
