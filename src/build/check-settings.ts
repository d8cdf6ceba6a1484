/** Checks wrangler.toml for settings that would silently make a server refuse every request, or leave it open. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Unstable_Config as Config } from "wrangler";
import { type Mistake, readSettings } from "../settings.ts";
import { type Bindings, bindingsIn } from "./bindings/bindings.ts";
import { type Problem, problemIn } from "./read/problem.ts";

const FILE = "wrangler.toml";
/** Secrets and variables of this machine, which wrangler adds to those of wrangler.toml. */
const LOCAL_FILE = ".dev.vars";

/** What discovery needs of wrangler.toml to check definitions. */
export interface Available {
  /** The numbers in the names of its rate limiters, such as 60 for RATE_60. */
  readonly limiters: ReadonlySet<number>;
  readonly bindings: Bindings;
  /** The longest of its names. */
  readonly serverName: string;
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
  const [serverName = ""] = all.map(({ vars }) => readSettings(vars).settings.name).sort((a, b) => b.length - a.length);
  return { limiters: new Set(all.flatMap(limiters)), bindings: await bindingsIn(project, all), serverName };
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

/** Parts of the Worker that are bundled only if a setting asks for them. */
export interface OptionalParts {
  /** The documents for machines: unless `DOCUMENTS` is "false" everywhere. */
  readonly documents: boolean;
  /** A span for each call: if the runtime makes traces, at the top level or in some environment. */
  readonly traces: boolean;
}

/**
 * Environments share one bundle, so a part is in it if any of them wants it.
 *
 * @param project the folder of wrangler.toml
 */
export async function optionalParts(project: string): Promise<OptionalParts> {
  const all = await settingsIn(project);
  return {
    documents: all.length === 0 || all.some(({ vars }) => String(vars.DOCUMENTS) !== "false"),
    traces: all.some(({ observability }) => observability?.traces?.enabled),
  };
}

/** Settings that only src/documents reads, by name (MCP registry, server.schema.json of 2025-12-11, ServerDetail). */
const DOCUMENT_SETTINGS: Readonly<Record<string, readonly [form: RegExp, fix: string]>> = {
  DOCUMENTS: [/^(true|false)?$/, 'write "true" or "false"'],
  SERVER_DESCRIPTION: [/^.{0,100}$/su, "write up to 100 characters"],
  REGISTRY_NAME: [
    /^((?=.{3,200}$)[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+)?$/,
    'write a domain of yours, reversed, a slash and a name: "com.example/weather"',
  ],
};

/** @param vars of wrangler.toml; "" counts as unset */
function wrongDocumentSettings(vars: Config["vars"]): Mistake[] {
  return Object.entries(DOCUMENT_SETTINGS).flatMap(([setting, [form, fix]]) => {
    const text = String(vars[setting] ?? "");
    return form.test(text) ? [] : { setting, problem: `${setting} is ${JSON.stringify(text)}`, fix };
  });
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
    for (const { setting, problem, fix } of [...mistakes, ...wrongDocumentSettings(config.vars)]) {
      problems.push(problemIn(FILE, { problem: `${problem} in ${vars}`, fix, line: lineOf(setting, text, vars) }));
    }
    const { ratePerMinute: rate, secret, issuer, jwksUrl } = settings;
    if ((secret || issuer || jwksUrl) && config.alias?.["#tokens"] === undefined) problems.push(tokensProblem(vars));
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

function tokensProblem(vars: string): Problem {
  return {
    file: FILE,
    problem: `JWT_… is set in ${vars}, but the part of the Worker that checks tokens is not turned on: they would be refused`,
    fix: 'write "#tokens" = "./src/tokens/jwt.ts" under [alias]',
  };
}

/** A request that cannot be counted is refused. */
function rateProblem(vars: string, rate: number, known: readonly number[]): Omit<Problem, "file"> {
  const others = known.length > 0 ? `${known.map((limit) => `"${limit}", `).join("")}or ` : "";
  return {
    problem: `RATE_PER_MINUTE is "${rate}" in ${vars}, and there is no rate limiter RATE_${rate}: every request would be refused`,
    fix: `write ${others}"" for no limit, or add [[ratelimits]] with name = "RATE_${rate}"`,
  };
}
