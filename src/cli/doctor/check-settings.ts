/** Checks the settings for what a deployment needs, besides the settings that discovery itself refuses. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { assignment, element, tableName, textRule } from "../../discovery/lib/settings-format.ts";
import type { Discovery } from "../../discovery/read/discovery.ts";
import { problemIn } from "../../discovery/read/problem.ts";
import {
  bindingLines,
  fileLines,
  hasWorkflow,
  importsMarkdown,
  WITHOUT_FILES,
} from "../../discovery/settings/available.ts";
import { retiredAliases } from "../../discovery/settings/check.ts";
import { wrongCrons } from "../../discovery/settings/crons.ts";
import { pathIn } from "../../discovery/settings/parse.ts";
import {
  boundNames,
  classesMadeBy,
  lackingBindings,
  lackingForFiles,
  unmadeClasses,
} from "../../discovery/settings/suspicious.ts";
import { type Config, hasPath, routesIn, sourceOf, type Where } from "../lib/config.ts";
import { assigns, lineOf } from "../lib/lines.ts";
import { checkHosts } from "./check-hosts.ts";
import { error, type Finding, fixIn, warning } from "./finding.ts";

/** The date that the framework's tests run with (test/support/wrangler.toml). */
export const COMPATIBILITY_DATE = "2026-10-01";

const FLAGS: Readonly<Record<string, string>> = {
  enable_request_signal: "a tool goes on when its caller has gone",
  global_fetch_strictly_public: "a tool's request to a host of your own zone reaches another Worker directly",
};

/** Says where a setting is: `wrangler.toml:12`, or only the file if it is missing, or is written in another way. */
interface At {
  (setting?: string, value?: string): string;
  /** The name of the file to correct. Fixes are written in its format. */
  readonly source: string;
  /** The environment; undefined for the top level. */
  readonly env: string | undefined;
}

/**
 * @param root  the folder of the fork
 * @param found what discovery found; undefined if tools/ has mistakes
 * @returns findings about one configuration: the top level, an environment or a copy
 */
export function checkSettings(config: Config, where: Where, root: string, found: Discovery | undefined): Finding[] {
  const at = finder(where, root);
  const text = readFileSync(where.config, "utf8");
  const refused = [...unmadeClasses(config, { name: at.source, text }), ...wrongCrons([config], text)];
  const findings = [
    ...checkRuntime(config, at),
    ...checkBuild(config, at),
    ...checkAliases(config, at),
    ...checkBindings(config, at),
    ...refused.map((complaint) => error(problemIn(at(), complaint))),
    ...checkWorkflow(config, at, found),
    ...checkFiles(config, at, found),
    ...checkClasses(config, at, found),
    ...checkNames(config, at),
    ...checkRoutes(config, at),
    ...checkVars(config, at),
    ...checkHosts(config, at),
  ];
  return findings.map((finding) => ({ ...finding, fix: fixIn(where.config, finding.fix) }));
}

/** Finds settings in the file that is checked, for messages. */
export function finder({ config, env }: Where, root: string): At {
  const file = relative(root, config);
  const text = readFileSync(config, "utf8");
  const start =
    env === undefined ? undefined : lineOf(text, new RegExp(`^\\s*\\[+env\\.["']?${RegExp.escape(env)}\\b`));
  const at = (setting?: string, value?: string) => {
    if (setting === undefined) return file;
    const pattern = assigns(setting, value);
    // An environment inherits some settings from the top level.
    const line = lineOf(text, pattern, start) ?? lineOf(text, pattern);
    return line === undefined ? file : `${file}:${line}`;
  };
  return Object.assign(at, { source: sourceOf(config), env });
}

function* checkRuntime(config: Config, at: At): Generator<Finding> {
  const { compatibility_date: date, compatibility_flags: flags } = config;
  if (date === undefined || date < COMPATIBILITY_DATE) {
    const problem = `its compatibility_date is ${date ?? "missing"}, older than what the framework is tested with`;
    const fix = `write ${assignment(at.source, "compatibility_date", COMPATIBILITY_DATE)}, or later`;
    yield error({ file: at("compatibility_date"), problem, fix });
  }
  for (const [flag, lost] of Object.entries(FLAGS)) {
    if (flags.includes(flag)) continue;
    const problem = `compatibility_flags lacks ${flag}: ${lost}`;
    yield warning({ file: at("compatibility_flags"), problem, fix: `add "${flag}"` });
  }
}

/** Checks settings of the build that older forks lack. */
function* checkBuild(config: Config, at: At): Generator<Finding> {
  if (!config.build.command) {
    const build = tableName(at.source, ["build"]);
    const problem = `${build} has no command: a deployment has the tools that there were when npm run discover ran last`;
    const fix = `write ${assignment(at.source, "command", "npm run --silent discover")} under ${build}`;
    yield error({ file: at(), problem, fix });
  }
  if (!importsMarkdown(config)) {
    const problem = "there is no rule that .md files are text: a tool that imports one is refused";
    yield warning({ file: at(), problem, fix: `add ${textRule(at.source, ".md")}` });
  }
}

/** Finds retired aliases in an older copy. In the fork's own settings, discovery refuses them. */
function* checkAliases(config: Config, at: At): Generator<Finding> {
  const environment = { config, name: at.env, varsHeading: tableName(at.source, pathIn(at.env, "vars")) };
  for (const { problem, fix } of retiredAliases({ name: at.source, text: "", environments: [environment] })) {
    yield error({ file: at("alias"), problem, fix });
  }
}

function* checkBindings(config: Config, at: At): Generator<Finding> {
  for (const [name, lost] of lackingBindings(config)) {
    const fix = `add these lines:\n${bindingLines(at.source, name, config, at.env)}`;
    yield error({ file: at(), problem: `the binding ${name} is missing: ${lost}`, fix });
  }
  if (!boundNames(config).includes("CLAIMS")) {
    const problem = "the binding CLAIMS is missing: overlapping calls with the same key may all run";
    const lines = bindingLines(at.source, "CLAIMS", config, at.env);
    yield warning({ file: at(), problem, fix: `add these lines, unless you mean it:\n${lines}` });
  }
  const limiters: readonly string[] = config.ratelimits.map(({ name }: { name: string }) => name);
  if (!limiters.includes("RATE_60")) {
    const problem = "the rate limiter RATE_60 is missing: nothing limits how often an address may guess credentials";
    yield warning({ file: at(), problem, fix: `add ${element(at.source, ["ratelimits"], { name: "RATE_60" })}` });
  }
  yield* checkLimiters(config, at);
}

/** Finds limiters that do not do what their names say (docs/limits.md), or share a counter with another. */
function* checkLimiters(config: Config, at: At): Generator<Finding> {
  const nameOf = new Map<string, string>();
  for (const { name, namespace_id: namespace, simple } of config.ratelimits) {
    const file = at("name", name);
    const limit = Number(/^RATE_(\d+)$/.exec(name)?.[1]);
    if (limit > 0 && (simple?.limit !== limit || simple.period !== 60)) {
      const problem = `the rate limiter ${name} has a limit of ${simple?.limit} and a period of ${simple?.period}`;
      yield error({ file, problem, fix: `write a limit of ${limit} and a period of 60, or another name` });
    }
    const other = nameOf.get(namespace);
    nameOf.set(namespace, name);
    if (other === undefined || ![name, other].some((one) => one.startsWith("RATE_"))) continue;
    const problem = `${name} and ${other} have the same namespace_id: what one counts also uses up the other`;
    yield error({ file, problem, fix: "give each a namespace_id that no other limiter of the account has" });
  }
}

/** Classes that the Worker has only if they are bound, by the name of the binding. */
const CLASSES: Readonly<Record<string, string>> = {
  OUTBOX: "Outbox",
  FILE_RECORDS: "FileRecords",
  SESSIONS: "Sessions",
};

/** Cloudflare refuses a Worker that lacks a class that a migration makes. */
function* checkClasses(config: Config, at: At, found: Discovery | undefined): Generator<Finding> {
  const made = classesMadeBy(config.migrations);
  const deleted = config.migrations.flatMap(({ deleted_classes = [] }) => deleted_classes);
  for (const [binding, type] of Object.entries(CLASSES)) {
    const isThere =
      boundNames(config).includes(binding) || (binding === "FILE_RECORDS" && found?.settings.bound.has("FILES"));
    if (isThere || deleted.includes(type) || !made.includes(type)) continue;
    const problem = `a migration makes the class ${type}, which the Worker lacks without the binding ${binding}`;
    const fix = `bind ${binding}, or remove the class from the migrations if it was never deployed`;
    yield error({ file: at("new_sqlite_classes", type), problem, fix });
  }
}

/** Checks the Workflow of long tools. Discovery reports it if the settings lack it, but does not see copies. */
function* checkWorkflow(config: Config, at: At, found: Discovery | undefined): Generator<Finding> {
  const isNeeded = found?.tools.some(({ options }) => options.long) ?? false;
  if (!hasWorkflow(config)) {
    if (!isNeeded) return;
    const problem = "the binding LONG is missing: calls of long tools end with their requests";
    const fix = `add ${element(at.source, ["workflows"], { binding: "LONG" })} and a name of its own (docs/tasks.md)`;
    yield error({ file: at(), problem, fix });
  } else if (found && !isNeeded) {
    const problem = "there is the workflow LONG, and no tool is long: the Worker is larger for nothing";
    const fix = `remove ${element(at.source, ["workflows"], { binding: "LONG" })} (docs/tasks.md says when)`;
    yield warning({ file: at("binding", "LONG"), problem, fix });
  } else if (config.workflows.some(({ name }: { name: string }) => name === "trivet-long")) {
    const problem = 'the workflow is still called "trivet-long"';
    const name = `${config.name === "trivet" ? "my-tools" : config.name}-long`;
    const fix = `write ${assignment(at.source, "name", name)}: an account has each name once`;
    yield warning({ file: at("name", "trivet-long"), problem, fix });
  }
}

/** Checks the bindings that attachments need. */
function* checkFiles(config: Config, at: At, found: Discovery | undefined): Generator<Finding> {
  const isNeeded = found?.tools.some(({ options }) => options.attachments) ?? false;
  const missing = lackingForFiles(config);
  if (!isNeeded || missing.length === 0) return;
  const which = missing.length > 1 ? "bindings FILES and FILE_RECORDS are" : `binding ${missing[0]} is`;
  const problem = `tools take attachments, and the ${which} missing: ${WITHOUT_FILES}`;
  yield warning({ file: at(), problem, fix: `add these lines (docs/files.md):\n${fileLines(at.source, config)}` });
}

/** Clients show the name, and a second Worker of the same name replaces the first. */
function* checkNames({ name, vars }: Config, at: At): Generator<Finding> {
  if (name === "trivet") {
    const fix = `write ${assignment(at.source, "name", "my-tools")}: it is part of the address`;
    yield warning({ file: at("name", name), problem: 'the Worker is still called "trivet"', fix });
  }
  if ((vars.SERVER_NAME ?? "trivet") === "trivet") {
    const fix = `write ${assignment(at.source, "SERVER_NAME", "my-tools")}: clients show it to their users`;
    yield warning({ file: at("SERVER_NAME"), problem: 'SERVER_NAME is still "trivet"', fix });
  }
}

/** Nothing is served below a path: docs/deploying.md, "Your domain", says why. */
function* checkRoutes(config: Config, at: At): Generator<Finding> {
  for (const pattern of routesIn(config)) {
    if (!hasPath(pattern)) continue;
    const problem = `the route ${pattern} has a path, and nothing is served below a path: every request would get 404`;
    const fix = "use a domain of its own, such as tools.example.com (docs/deploying.md)";
    const [file = at()] = [at("pattern", pattern), at("routes"), at("route")].filter((one) => one !== at());
    yield error({ file, problem, fix });
  }
}

function* checkVars({ vars }: Config, at: At): Generator<Finding> {
  if (vars.LOCAL === "true") {
    const problem = 'LOCAL = "true" opens every tool to everyone, with all scopes: it is for `npm start` only';
    yield error({ file: at("LOCAL"), problem, fix: "remove it" });
  }
  if (Boolean(vars.JWT_ISSUER) !== Boolean(vars.JWT_JWKS_URL)) {
    const problem = "JWT_ISSUER and JWT_JWKS_URL belong together: with one of them, tokens are refused";
    const file = at(vars.JWT_ISSUER ? "JWT_ISSUER" : "JWT_JWKS_URL");
    yield error({ file, problem, fix: "set both, or neither" });
  }
  for (const secret of ["JWT_SECRET", "SIGNING_KEY"]) {
    if (!vars[secret]) continue;
    const problem = `${secret} is a secret, and everyone who reads this file can read it here`;
    const fix = `remove it, make another, and run npx wrangler secret put ${secret}`;
    yield error({ file: at(secret), problem, fix });
  }
  if (vars.DOCUMENTS === undefined) {
    const write = `write ${assignment(at.source, "DOCUMENTS", "true")}`;
    const problem = 'DOCUMENTS is not set: documents by which machines find the server are public, as with "true"';
    yield warning({
      file: at(),
      problem,
      fix: `${write} or "false" under ${tableName(at.source, ["vars"])} (docs/protocols.md)`,
    });
  }
}
