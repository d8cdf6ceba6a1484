/** Checks wrangler.toml for settings that would silently make a server refuse every request, or leave it open. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { readSettings } from "../../settings.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { readAllSettings } from "./all-settings.ts";
import { bundlesTokens, hasPage, limitersIn, PAGE_FOLDER } from "./available.ts";
import type { Environment } from "./parse.ts";
import { FILE, lineOfSetting, type WranglerToml } from "./read.ts";

/** Secrets and variables of this machine, which wrangler adds to those of wrangler.toml. */
const LOCAL_FILE = ".dev.vars";

/**
 * @param isLocal whether to check the values in .dev.vars, too
 * @returns a problem for each wrong setting, at the top level and in each environment
 */
export function wrongSettings(file: WranglerToml, isLocal = false): Problem[] {
  const { project, text, environments, unreadable } = file;
  if (unreadable) return [unreadable];
  const complaints = environments.flatMap((environment) => [
    ...wrongHost(environment, text),
    ...wrongVars(environment, text),
    ...missingParts(environment, text),
    ...missingLimiter(environment, text),
    ...wrongPage(environment, text),
  ]);
  return [...complaints.map((complaint) => problemIn(FILE, complaint)), ...(isLocal ? wrongLocally(project) : [])];
}

/** With this setting, wrangler gives the Worker this host and origin instead of the request's own. */
function wrongHost({ config, name }: Environment, text: string): Complaint[] {
  // Environments have no [dev] of their own.
  if (config.dev.host === undefined || name !== undefined) return [];
  const problem = "host in [dev] hides a request's real host and origin from the server: any web page could call it";
  return [{ problem, fix: "remove it", line: lineOfSetting("host", text, "[dev]") ?? lineOfSetting("dev.host", text) }];
}

function wrongVars({ config, varsHeading }: Environment, text: string): Complaint[] {
  return readAllSettings(config.vars).mistakes.map(({ setting, problem, fix }) => ({
    problem: `${problem} in ${varsHeading}`,
    fix,
    line: lineOfSetting(setting, text, varsHeading),
  }));
}

/** Settings that have an effect only if tokens are checked. An owner may keep them as secrets. */
export const TOKEN_SETTINGS: readonly string[] = ["JWT_SECRET", "JWT_ISSUER", "JWT_JWKS_URL"];

function missingParts({ config, varsHeading }: Environment, text: string): Complaint[] {
  const setting = TOKEN_SETTINGS.find((name) => (config.vars[name] ?? "") !== "");
  if (setting === undefined || bundlesTokens(config)) return [];
  const problem =
    `${setting} is set in ${varsHeading}, but the part of the Worker that checks tokens is not turned on: ` +
    "tokens would be refused";
  const fix = 'write "#tokens" = "./src/tokens/jwt.ts" under [alias]';
  return [{ problem, fix, line: lineOfSetting(setting, text, varsHeading) }];
}

/** A request that cannot be counted is refused. */
function missingLimiter({ config, varsHeading }: Environment, text: string): Complaint[] {
  const { ratePerMinute: rate } = readSettings(config.vars).settings;
  const known = limitersIn(config);
  if (rate === undefined || known.includes(rate)) return [];
  const others = known.length > 0 ? `${known.map((limit) => `"${limit}", `).join("")}or ` : "";
  return [
    {
      problem:
        `RATE_PER_MINUTE is "${rate}" in ${varsHeading}, and there is no rate limiter RATE_${rate}: ` +
        "every request would be refused",
      fix: `write ${others}"" for no limit, or add [[ratelimits]] with name = "RATE_${rate}"`,
      line: lineOfSetting("RATE_PER_MINUTE", text, varsHeading),
    },
  ];
}

/** What the Worker needs to serve the page at /. Without it, Cloudflare would serve the file as it is, unnamed. */
function wrongPage({ config, name }: Environment, text: string): Complaint[] {
  const { binding, run_worker_first: isFirst } = config.assets ?? {};
  if (!hasPage(config) || (binding === "ASSETS" && isFirst === true)) return [];
  const heading = name === undefined ? "[assets]" : `[env.${name}.assets]`;
  const problem = `${heading} has the page at /, and not what the Worker needs to serve it`;
  const fix = `write, or remove the block to turn the page off (docs/front-page.md):\n${pageLines(heading)}`;
  return [{ problem, fix, line: lineOfSetting("directory", text, heading) }];
}

function pageLines(heading: string): string {
  return [heading, `directory = "${PAGE_FOLDER}"`, 'binding = "ASSETS"', "run_worker_first = true"].join("\n");
}

function wrongLocally(project: string): Problem[] {
  const path = join(project, LOCAL_FILE);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  return readAllSettings(parseEnv(text)).mistakes.map(({ setting, problem, fix }) =>
    problemIn(LOCAL_FILE, { problem, fix, line: lineOfSetting(setting, text) }),
  );
}
