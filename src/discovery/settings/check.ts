/** Checks the settings file for settings that would silently make a server refuse every request, or leave it open. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { readSettings } from "../../settings.ts";
import { assignment, element, inEnvironment, lineOfSetting, linesOf, tableName } from "../lib/settings-format.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { readAllSettings } from "./all-settings.ts";
import { credentialsOf, hasPage, limitersIn, PAGE_FOLDER } from "./available.ts";
import { type Environment, pathIn } from "./parse.ts";
import type { SettingsFile } from "./read-settings-file.ts";

/** Secrets and variables of this machine, which wrangler adds to those of the settings file. */
const LOCAL_FILE = ".dev.vars";

/**
 * @param isLocal whether to check the values in .dev.vars as well
 * @returns a problem for each wrong setting, at the top level and in each environment
 */
export function wrongSettings(file: SettingsFile, isLocal = false): Problem[] {
  const { project, name, environments, unreadable } = file;
  if (unreadable) return [unreadable];
  const complaints = [
    ...environments.flatMap((environment) => [
      ...wrongHost(environment, file),
      ...wrongVars(environment, file),
      ...tokensNotOn(environment, file),
      ...missingLimiter(environment, file),
      ...wrongPage(environment, file),
    ]),
    ...retiredAliases(file),
  ];
  return [...complaints.map((complaint) => problemIn(name, complaint)), ...(isLocal ? wrongLocally(project) : [])];
}

/** Finds `host` in [dev], with which wrangler gives the Worker that host and origin instead of the request's own. */
function wrongHost({ config, name }: Environment, file: SettingsFile): Complaint[] {
  // Environments have no [dev] of their own.
  if (config.dev.host === undefined || name !== undefined) return [];
  const where = tableName(file.name, ["dev"]);
  const problem = `host in ${where} hides a request's real host and origin from the server: any web page could call it`;
  return [{ problem, fix: "remove it", line: lineOfSetting(file.name, file.text, ["dev", "host"]) }];
}

function wrongVars(environment: Environment, file: SettingsFile): Complaint[] {
  const { config, varsHeading } = environment;
  return readAllSettings(config.vars).mistakes.map(({ setting, problem, fix }) => ({
    problem: `${problem} in ${varsHeading}`,
    fix,
    line: lineOfVariable(setting, environment, file),
  }));
}

function lineOfVariable(name: string, environment: Environment, file: SettingsFile): number | undefined {
  return lineOfSetting(file.name, file.text, pathIn(environment.name, "vars", name));
}

/** Settings that have an effect only if tokens are checked. A fork may keep them as secrets. */
export const TOKEN_SETTINGS: readonly string[] = ["JWT_SECRET", "JWT_ISSUER", "JWT_JWKS_URL"];

function tokensNotOn(environment: Environment, file: SettingsFile): Complaint[] {
  const { config, varsHeading } = environment;
  const setting = TOKEN_SETTINGS.find((name) => (config.vars[name] ?? "") !== "");
  // If there is an alias, retiredAliases reports it.
  const isOn = credentialsOf(config).takesTokens || config.alias?.["#tokens"] !== undefined;
  if (setting === undefined || isOn) return [];
  const problem =
    `${setting} is set in ${varsHeading}, but the part of the Worker that checks tokens is not turned on there: ` +
    "tokens would be refused";
  const fix = `write ${assignment(file.name, "TOKENS", "true")} in ${varsHeading}`;
  return [{ problem, fix, line: lineOfVariable(setting, environment, file) }];
}

/** The settings that replace the aliases of older forks, by alias. */
const RETIRED: Readonly<Record<string, string>> = { "#sign-in": "SIGN_IN", "#tokens": "TOKENS" };

/** Finds aliases of older forks, which have no effect any more: without a message, what they turned on would be off. */
export function retiredAliases({
  name: file,
  text,
  environments,
}: Pick<SettingsFile, "name" | "text"> & {
  readonly environments: readonly Omit<Environment, "bindings" | "ignoredFields">[];
}): Complaint[] {
  return Object.entries(RETIRED).flatMap(([alias, setting]) => {
    const having = environments.filter(({ config }) => config.alias?.[alias] !== undefined);
    const lines = having.map(({ name }) => lineOfSetting(file, text, pathIn(name, "alias", alias)));
    // Environments inherit an alias, but not a variable.
    const lacking = having.filter(
      ({ config }) => !config.alias?.[alias]?.endsWith("/off.ts") && !(setting in config.vars),
    );
    const where = lacking.map(({ varsHeading }) => varsHeading).join(" and in ");
    const problem = `"${alias}" in ${tableName(file, ["alias"])} has no effect any more: the variable ${setting} turns this part on`;
    const fix = where === "" ? "remove it" : `remove it, and write ${assignment(file, setting, "true")} in ${where}`;
    return having.length === 0 ? [] : [{ problem, fix, line: lines.find((line) => line !== undefined) }];
  });
}

/** Finds a rate that has no rate limiter. The Worker refuses a request that it cannot count. */
function missingLimiter(environment: Environment, file: SettingsFile): Complaint[] {
  const { config, name, varsHeading } = environment;
  const { ratePerMinute: rate } = readSettings(config.vars).settings;
  const known = limitersIn(config);
  if (rate === undefined || known.includes(rate)) return [];
  const others = known.length > 0 ? `${known.map((limit) => `"${limit}", `).join("")}or ` : "";
  const limiter = element(file.name, pathIn(name, "ratelimits"), { name: `RATE_${rate}` });
  return [
    {
      problem:
        `RATE_PER_MINUTE is "${rate}" in ${varsHeading}, and there is no rate limiter RATE_${rate}: ` +
        "every request would be refused",
      fix: `write ${others}"" for no limit, or add ${limiter}`,
      line: lineOfVariable("RATE_PER_MINUTE", environment, file),
    },
  ];
}

/**
 * Finds a page at / without the settings that have the Worker serve it. Cloudflare would then serve the file as it is,
 * without the server's name.
 */
function wrongPage({ config, name }: Environment, file: SettingsFile): Complaint[] {
  const { binding, run_worker_first: isFirst } = config.assets ?? {};
  if (!hasPage(config) || (binding === "ASSETS" && isFirst === true)) return [];
  const path = pathIn(name, "assets");
  const problem = `${tableName(file.name, path)} has the page at /, and not what the Worker needs to serve it`;
  const assets = { directory: PAGE_FOLDER, binding: "ASSETS", run_worker_first: true };
  const lines = linesOf(file.name, [inEnvironment(name, { assets })]);
  const fix = `write, or remove the block to turn the page off (docs/connect.md):\n${lines}`;
  return [{ problem, fix, line: lineOfSetting(file.name, file.text, [...path, "directory"]) }];
}

function wrongLocally(project: string): Problem[] {
  const path = join(project, LOCAL_FILE);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  return readAllSettings(parseEnv(text)).mistakes.map(({ setting, problem, fix }) =>
    problemIn(LOCAL_FILE, { problem, fix, line: lineOfSetting(LOCAL_FILE, text, [setting]) }),
  );
}
