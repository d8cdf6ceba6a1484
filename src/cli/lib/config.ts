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
