/** Reads wrangler.toml, as wrangler does. */
import type { Unstable_Config as Config } from "wrangler";
import { Mistake } from "./mistake.ts";
import { inOneLine } from "./wrangler.ts";

export type { Unstable_Config as Config } from "wrangler";

/**
 * @param config path of wrangler.toml
 * @param env    one of its environments; undefined for the top level
 * @throws {Mistake} if it cannot be read
 */
export async function readConfig(config: string, env: string | undefined): Promise<Config> {
  // Loaded lazily, because it takes a while.
  const { unstable_readConfig: read } = await import("wrangler");
  try {
    return read({ config, env: env ?? "" }, { hideWarnings: true });
  } catch (error) {
    throw new Mistake(inOneLine(String((error as Error).message)));
  }
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
