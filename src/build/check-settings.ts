/** Checks wrangler.toml for settings that would silently make a server refuse every request, or leave it open. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Unstable_Config as Config } from "wrangler";
import { readSettings } from "../settings.ts";
import { type Bindings, bindingsIn } from "./bindings/bindings.ts";
import type { Problem } from "./read/problem.ts";

const FILE = "wrangler.toml";

/** What discovery needs of wrangler.toml to check definitions. */
export interface Available {
  /** The numbers in the names of its rate limiters, such as 60 for RATE_60. */
  readonly limiters: ReadonlySet<number>;
  readonly bindings: Bindings;
}

/** @returns the top-level configuration, then that of each environment; empty if there is no wrangler.toml */
async function settingsIn(project: string): Promise<Config[]> {
  const config = join(project, FILE);
  if (!existsSync(config)) return [];
  // Loaded lazily: loading wrangler takes longer than everything else in discovery.
  const { unstable_readConfig: read } = await import("wrangler");
  const top = read({ config, env: "" }, { hideWarnings: true });
  const others = top.definedEnvironments ?? [];
  return [top, ...others.map((env: string) => read({ config, env }, { hideWarnings: true }))];
}

/**
 * @param project the folder of wrangler.toml
 * @returns what its environments have together; undefined without a wrangler.toml
 */
export async function availableIn(project: string): Promise<Available | undefined> {
  const all = await settingsIn(project);
  if (all.length === 0) return undefined;
  return { limiters: new Set(all.flatMap(limiters)), bindings: await bindingsIn(project, all) };
}

function limiters({ ratelimits }: Config): number[] {
  return ratelimits.flatMap(({ name }) => /^RATE_(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/**
 * @param project the folder of wrangler.toml
 * @returns a problem for each wrong setting, at the top level and in each environment
 */
export async function wrongSettings(project: string): Promise<Problem[]> {
  let all: Config[];
  try {
    all = await settingsIn(project);
  } catch (error) {
    return [{ file: FILE, problem: (error as Error).message, fix: "correct what the message names" }];
  }
  return all.flatMap((config, at) => {
    const name = config.definedEnvironments?.[at - 1];
    const vars = name === undefined ? "[vars]" : `[env.${name}.vars]`;
    const problems: Problem[] = at === 0 && config.dev.host !== undefined ? [HOST] : [];
    const { settings, mistakes } = readSettings(config.vars);
    for (const { problem, fix } of mistakes) problems.push({ file: FILE, problem: `${problem} in ${vars}`, fix });
    const { ratePerMinute: rate } = settings;
    const known = limiters(config);
    if (rate !== undefined && !known.includes(rate)) problems.push(rateProblem(vars, rate, known));
    return problems;
  });
}

/** With this setting, wrangler gives the Worker this host and origin instead of the request's own. */
const HOST: Problem = {
  file: FILE,
  problem: "host in [dev] hides a request's real host and origin from the server: any web page could call it",
  fix: "remove it",
};

/** A request that cannot be counted is refused. */
function rateProblem(vars: string, rate: number, known: readonly number[]): Problem {
  const others = known.length > 0 ? `${known.map((limit) => `"${limit}", `).join("")}or ` : "";
  return {
    file: FILE,
    problem: `RATE_PER_MINUTE is "${rate}" in ${vars}, and there is no rate limiter RATE_${rate}: every request would be refused`,
    fix: `write ${others}"" for no limit, or add [[ratelimits]] with name = "RATE_${rate}"`,
  };
}
