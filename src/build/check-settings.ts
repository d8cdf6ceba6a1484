/** Checks wrangler.toml for settings that would silently make a server refuse every request, or leave it open. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Unstable_Config as Config } from "wrangler";
import { readSettings } from "../settings.ts";
import { type Problem, problemIn } from "./read/problem.ts";

const FILE = "wrangler.toml";
/** Secrets and variables of this machine, which wrangler adds to those of wrangler.toml. */
const LOCAL_FILE = ".dev.vars";

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
 * @returns the numbers in the names of its rate limiters, such as 60 for RATE_60; undefined without a wrangler.toml
 */
export async function limitersIn(project: string): Promise<ReadonlySet<number> | undefined> {
  const all = await settingsIn(project);
  return all.length === 0 ? undefined : new Set(all.flatMap(limiters));
}

/** Files that wrangler imports as text only if a rule in wrangler.toml says so. */
const BY_RULE = ".md";

/**
 * Finds an import of a .md file that wrangler would refuse, with a message that names neither the rule nor the file of
 * settings: those of older forks lack the rule.
 *
 * @param imports what each file imports, as messages name them
 */
export async function missingTextRule(
  project: string,
  imports: ReadonlyMap<string, readonly string[]>,
): Promise<Problem[]> {
  const importing = [...imports].find(([, paths]) => paths.some((path) => path.endsWith(BY_RULE)));
  if (importing === undefined) return [];
  const [config] = await settingsIn(project);
  const isText = config?.rules.some(({ type, globs }) => type === "Text" && globs.some((one) => one.endsWith(BY_RULE)));
  if (config === undefined || isText) return [];
  const problem = `it imports a ${BY_RULE} file, and wrangler.toml has no rule that such files are text`;
  const fix = `add to wrangler.toml: [[rules]] with type = "Text", globs = ["**/*${BY_RULE}"] and fallthrough = true`;
  return [{ file: importing[0], problem, fix }];
}

function limiters({ ratelimits }: Config): number[] {
  return ratelimits.flatMap(({ name }) => /^RATE_(\d+)$/.exec(name)?.[1] ?? []).map(Number);
}

/**
 * @param project the folder of wrangler.toml
 * @param isLocal whether to check the values in .dev.vars, too
 * @returns a problem for each wrong setting, at the top level and in each environment
 */
export async function wrongSettings(project: string, isLocal = false): Promise<Problem[]> {
  let all: Config[];
  try {
    all = await settingsIn(project);
  } catch (error) {
    return [{ file: FILE, problem: (error as Error).message, fix: "correct what the message names" }];
  }
  const text = all.length > 0 ? readFileSync(join(project, FILE), "utf8") : "";
  const local = isLocal ? wrongLocally(project) : [];
  const wrong = all.flatMap((config, at) => {
    const name = config.definedEnvironments?.[at - 1];
    const vars = name === undefined ? "[vars]" : `[env.${name}.vars]`;
    const problems: Problem[] = at === 0 && config.dev.host !== undefined ? [HOST] : [];
    const { settings, mistakes } = readSettings(config.vars);
    for (const { setting, problem, fix } of mistakes) {
      problems.push(problemIn(FILE, { problem: `${problem} in ${vars}`, fix, line: lineOf(setting, text, vars) }));
    }
    const { ratePerMinute: rate } = settings;
    const known = limiters(config);
    if (rate !== undefined && !known.includes(rate)) {
      const line = lineOf("RATE_PER_MINUTE", text, vars);
      problems.push(problemIn(FILE, { ...rateProblem(vars, rate, known), line }));
    }
    return problems;
  });
  return [...wrong, ...local];
}

function wrongLocally(project: string): Problem[] {
  const path = join(project, LOCAL_FILE);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  return readSettings(parseEnv(text)).mistakes.map(({ setting, problem, fix }) =>
    problemIn(LOCAL_FILE, { problem, fix, line: lineOf(setting, text) }),
  );
}

/**
 * @param header the table that the setting is in, if it is in one
 * @returns the line that sets it; undefined if it is written in a way that needs a parser
 */
function lineOf(setting: string, text: string, header?: string): number | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const start = header === undefined ? 0 : lines.indexOf(header);
  const at = lines.findIndex((line, number) => number >= start && /^"?([\w]+)"?\s*=/.exec(line)?.[1] === setting);
  return start === -1 || at === -1 ? undefined : at + 1;
}

/** With this setting, wrangler gives the Worker this host and origin instead of the request's own. */
const HOST: Problem = {
  file: FILE,
  problem: "host in [dev] hides a request's real host and origin from the server: any web page could call it",
  fix: "remove it",
};

/** A request that cannot be counted is refused. */
function rateProblem(vars: string, rate: number, known: readonly number[]): Omit<Problem, "file"> {
  const others = known.length > 0 ? `${known.map((limit) => `"${limit}", `).join("")}or ` : "";
  return {
    problem: `RATE_PER_MINUTE is "${rate}" in ${vars}, and there is no rate limiter RATE_${rate}: every request would be refused`,
    fix: `write ${others}"" for no limit, or add [[ratelimits]] with name = "RATE_${rate}"`,
  };
}
