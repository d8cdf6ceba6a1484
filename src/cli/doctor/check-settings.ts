/** Checks wrangler.toml for what a deployment needs, besides the settings that discovery itself refuses. */
import { type Config, hasPath, routesIn } from "../lib/config.ts";
import { error, type Finding, warning } from "./finding.ts";

const FILE = "wrangler.toml";
/** The date that the framework's tests run with (test/support/wrangler.toml). */
export const COMPATIBILITY_DATE = "2026-10-01";

/** Bindings that src/index.ts uses, and what is lost without them. */
const BINDINGS: Readonly<Record<string, string>> = {
  KV: "keys, results and sessions have no place",
  VAULT: "there is no key to sign sessions and idempotency records with",
  MAILBOX: "tools cannot ask a user in a session, nor can a client resume a stream",
  HUB: "no client hears of changes",
};

const FLAGS: Readonly<Record<string, string>> = {
  enable_request_signal: "a tool goes on when its caller has gone",
  global_fetch_strictly_public: "a tool's request to a host of your own zone reaches another Worker directly",
};

export function checkSettings(config: Config): Finding[] {
  return [
    ...checkRuntime(config),
    ...checkBindings(config),
    ...checkNames(config),
    ...checkRoutes(config),
    ...checkVars(config),
  ];
}

function* checkRuntime({ compatibility_date: date, compatibility_flags: flags }: Config): Generator<Finding> {
  if (date === undefined || date < COMPATIBILITY_DATE) {
    yield error({
      file: FILE,
      problem: `its compatibility_date is ${date ?? "missing"}, older than what the framework is tested with`,
      fix: `write compatibility_date = "${COMPATIBILITY_DATE}", or later`,
    });
  }
  for (const [flag, lost] of Object.entries(FLAGS)) {
    if (flags.includes(flag)) continue;
    yield warning({ file: FILE, problem: `compatibility_flags lacks ${flag}: ${lost}`, fix: `add "${flag}"` });
  }
}

function* checkBindings({ kv_namespaces, durable_objects, ratelimits }: Config): Generator<Finding> {
  const names = [...kv_namespaces.map(({ binding }) => binding), ...durable_objects.bindings.map(({ name }) => name)];
  for (const [name, lost] of Object.entries(BINDINGS)) {
    if (names.includes(name)) continue;
    const fix = `copy the lines of ${name} from upstream's wrangler.toml; environments ([env.NAME]) need their own`;
    yield error({ file: FILE, problem: `the binding ${name} is missing: ${lost}`, fix });
  }
  if (!names.includes("CLAIMS")) {
    const problem = "the binding CLAIMS is missing: overlapping calls with the same key may all run";
    yield warning({ file: FILE, problem, fix: "copy its lines from upstream's wrangler.toml, unless you mean it" });
  }
  const limiters: readonly string[] = ratelimits.map(({ name }: { name: string }) => name);
  if (!limiters.includes("RATE_60")) {
    const problem = "the rate limiter RATE_60 is missing: nothing limits how often an address may guess credentials";
    yield warning({ file: FILE, problem, fix: 'add [[ratelimits]] with name = "RATE_60"' });
  }
}

/** Clients show the name, and a second Worker of one name replaces the first. */
function* checkNames({ name, vars }: Config): Generator<Finding> {
  if (name === "trivet") {
    const fix = 'write name = "my-tools": it is part of the address';
    yield warning({ file: FILE, problem: 'the Worker is still called "trivet"', fix });
  }
  if ((vars.SERVER_NAME ?? "trivet") === "trivet") {
    const fix = 'write SERVER_NAME = "my-tools": clients show it to their users';
    yield warning({ file: FILE, problem: 'SERVER_NAME is still "trivet"', fix });
  }
}

/** Nothing is served below a path: docs/deploying.md, "Your domain", says why. */
function* checkRoutes(config: Config): Generator<Finding> {
  for (const pattern of routesIn(config)) {
    if (!hasPath(pattern)) continue;
    const problem = `the route ${pattern} has a path, and nothing is served below a path: every request would get 404`;
    const fix = "use a domain of its own, such as tools.example.com (docs/deploying.md)";
    yield error({ file: FILE, problem, fix });
  }
}

function* checkVars({ vars }: Config): Generator<Finding> {
  if (vars.LOCAL === "true") {
    const problem = 'LOCAL = "true" opens every tool to everyone, with all scopes: it is for `npm start` only';
    yield error({ file: FILE, problem, fix: "remove it" });
  }
  if (Boolean(vars.JWT_ISSUER) !== Boolean(vars.JWT_JWKS_URL)) {
    const problem = "JWT_ISSUER and JWT_JWKS_URL belong together: with one of them, tokens are refused";
    yield error({ file: FILE, problem, fix: "set both, or neither" });
  }
  for (const secret of ["JWT_SECRET", "SIGNING_KEY"]) {
    if (!vars[secret]) continue;
    const problem = `${secret} is a secret, and everyone who reads this file can read it here`;
    yield error({ file: FILE, problem, fix: `remove it, make another, and run npx wrangler secret put ${secret}` });
  }
}
