/** Checks the options of a definition: everything except its schemas and functions. */
import type { Demands, Traits } from "../../core/model/definition.ts";
import { isRecord } from "../schema/is-record.ts";
import type { Complaint } from "./problem.ts";

/** Options that tools, prompts and resources share, besides title and icons. */
export const DEMANDS = [
  "requirements",
  "scopes",
  "rate",
  "timeoutMs",
  "env",
  "trace",
] as const satisfies (keyof Demands)[];

export const TRAITS = [
  "title",
  "annotations",
  ...DEMANDS,
  "once",
  "keep",
  "attachments",
  "session",
  "long",
  "icons",
  "meta",
] as const satisfies (keyof Traits)[];

/** Options that are true or false. */
const SWITCHES = ["attachments", "once", "keep", "session"] as const satisfies (keyof Traits)[];
const ANNOTATIONS = ["readOnly", "destructive", "idempotent", "openWorld"];
/** RFC 6749, section 3.3, scope-token; except the comma, which separates scopes in lists, and `*`, which means all. */
const SCOPE = /^(?!\*$)[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/;
/** The longest delay that a timer can hold: 32-bit signed milliseconds. */
const MAX_TIMEOUT_MS = 2_147_483_647;
/** Time limit of a long tool: a day. */
const MAX_LONG_MS = 86_400_000;
/** Values of a requirement's `from`. */
const SUPPLIERS = ["caller", "worker"];
const REQUIREMENTS =
  'requirements: { secrets: ["MY_KEY", { id: "OWN_KEY", from: "worker" }], ' +
  'authorization: [{ id: "google", oauth2: { scopes: ["email"] } }], userId: true }';

type Definition = Readonly<Record<string, unknown>>;

/** Checks the options of a tool. */
export function* checkTraits(definition: Definition): Generator<Complaint> {
  yield* checkCommon(definition);
  for (const member of SWITCHES) {
    const value = definition[member];
    if (value === undefined || typeof value === "boolean") continue;
    // What is written: the opposite of what it is without.
    const fix = `write ${member}: ${member !== "keep"}, or leave it out`;
    yield { problem: `its ${member} is not true or false`, fix, member };
  }
  const { long, timeoutMs } = definition;
  if (long !== undefined && typeof long !== "boolean" && long !== "tasks-only") {
    yield {
      problem: 'its long is not true, false or "tasks-only"',
      fix: "write long: true, or leave it out",
      member: "long",
    };
  }
  if (long && typeof timeoutMs === "number" && timeoutMs > MAX_LONG_MS) {
    const problem = `its timeoutMs is more than a day (${MAX_LONG_MS})`;
    yield { problem, fix: "write a shorter one, or do the work in several calls", member: "timeoutMs" };
  }
  if (definition.annotations !== undefined) yield* checkAnnotations(definition.annotations);
}

/** Checks the options that tools, prompts and resources share. */
export function* checkCommon(definition: Definition): Generator<Complaint> {
  const { title } = definition;
  if (title !== undefined && typeof title !== "string") {
    yield {
      problem: "its title is not a string",
      fix: 'write title: "Add two numbers", or leave it out',
      member: "title",
    };
  }
  yield* checkDemands(definition);
  yield* checkDisplay(definition);
}

function* checkDemands({ requirements, scopes, rate, timeoutMs, env, trace }: Definition): Generator<Complaint> {
  if (scopes !== undefined && !(isNames(scopes) && scopes.every((scope) => SCOPE.test(scope)))) {
    yield {
      problem: 'its "scopes" is not a list of scopes without spaces, quotes, commas or backslashes',
      fix: 'write scopes: ["notes:write"], or leave it out',
      member: "scopes",
    };
  }
  if (rate !== undefined && !(typeof rate === "number" && Number.isInteger(rate) && rate > 0)) {
    yield {
      problem: "its rate is not a whole number of calls a minute",
      fix: "write rate: 10, and have a rate limiter RATE_10 in wrangler.toml",
      member: "rate",
    };
  }
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) {
    yield {
      problem: `its timeoutMs is not a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`,
      fix: "write an integer, such as timeoutMs: 30_000",
      member: "timeoutMs",
    };
  }
  if (env !== undefined && !isNames(env)) {
    yield { problem: 'its "env" is not a list of binding names', fix: 'write env: ["MY_BINDING"]', member: "env" };
  }
  if (trace !== undefined && trace !== "all") {
    yield { problem: 'its trace is not "all"', fix: 'write trace: "all", or leave it out', member: "trace" };
  }
  if (requirements !== undefined) {
    const wrong = wrongRequirement(requirements);
    const unnamable = wrong === undefined ? unnamableSecret(requirements) : undefined;
    if (unnamable !== undefined) {
      yield {
        problem: `its secret "${unnamable}" cannot be the name of an environment variable`,
        fix: 'write letters, digits and _, the first no digit, as in secrets: ["MY_KEY"]',
        member: "requirements",
      };
    }
    if (wrong) yield { problem: `its ${wrong} is malformed`, fix: `write ${REQUIREMENTS}`, member: "requirements" };
  }
}

/** Checks icons and metadata. */
function* checkDisplay({ icons, meta }: Definition): Generator<Complaint> {
  if (icons !== undefined && !(Array.isArray(icons) && icons.every(isIcon))) {
    yield {
      problem: 'its "icons" is not a list of icons as MCP defines them, with an absolute src',
      fix: 'write icons: [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"] }]',
      member: "icons",
    };
  }
  if (meta !== undefined && !(isRecord(meta) && isJson(meta))) {
    yield {
      problem: 'its "meta" is not an object that JSON can represent',
      fix: 'write meta: { "example.com/key": "value" }, or leave it out',
      member: "meta",
    };
  }
}

/** MCP, schema, Icon. Clients that validate a listing drop all of it because of one invalid member. */
function isIcon(icon: unknown): boolean {
  if (!isRecord(icon) || !isJson(icon)) return false;
  const { src, mimeType, sizes, theme } = icon;
  if (!isName(src) || !URL.canParse(src)) return false;
  if (mimeType !== undefined && typeof mimeType !== "string") return false;
  if (sizes !== undefined && !isNames(sizes)) return false;
  return theme === undefined || theme === "light" || theme === "dark";
}

/** Whether JSON can represent a value completely: without functions, bigints, dates or cycles. */
function isJson(value: unknown, above: readonly unknown[] = []): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || above.includes(value)) return false;
  const path = [...above, value];
  if (Array.isArray(value)) return Array.from(value).every((item) => isJson(item, path));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((member) => member === undefined || isJson(member, path));
}

function* checkAnnotations(annotations: unknown): Generator<Complaint> {
  const fix = `write annotations: { ${ANNOTATIONS.map((name) => `${name}: true`).join(", ")} }, or some of them`;
  if (!isRecord(annotations)) {
    yield { problem: 'its "annotations" is not an object', fix, member: "annotations" };
    return;
  }
  for (const [name, value] of Object.entries(annotations)) {
    if (!ANNOTATIONS.includes(name)) yield { problem: `there is no annotation "${name}"`, fix, member: "annotations" };
    else if (value !== undefined && typeof value !== "boolean") {
      yield { problem: `its annotation "${name}" is not true or false`, fix, member: "annotations" };
    }
  }
}

/** The path of the first invalid member. Unknown members are invalid, because OXP lists requirements as they are. */
function wrongRequirement(requirements: unknown): string | undefined {
  if (!isRecord(requirements)) return "requirements";
  const { secrets, authorization, userId, ...rest } = requirements;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `requirements.${unknown}`;
  if (secrets !== undefined && !(Array.isArray(secrets) && secrets.every(isSecret))) return "requirements.secrets";
  if (userId !== undefined && typeof userId !== "boolean") return "requirements.userId";
  if (authorization === undefined) return undefined;
  if (!Array.isArray(authorization)) return "requirements.authorization";
  const at = authorization.findIndex((item) => !isAuthorization(item));
  return at < 0 ? undefined : `requirements.authorization[${at}]`;
}

/** A name that neither .dev.vars nor a shell could set (POSIX.1-2024, Base Definitions, 3.216 Name). */
function unnamableSecret(requirements: unknown): string | undefined {
  const { secrets = [] } = requirements as { secrets?: readonly (string | { readonly id: string })[] };
  const ids = secrets.map((secret) => (typeof secret === "string" ? secret : secret.id));
  return ids.find((id) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(id));
}

function isSecret(item: unknown): boolean {
  if (!isRecord(item)) return isName(item);
  return isName(item.id) && SUPPLIERS.includes(item.from as string) && hasOnly(item, ["id", "from"]);
}

function isAuthorization(item: unknown): boolean {
  if (!isRecord(item) || !isName(item.id) || !hasOnly(item, ["id", "oauth2", "from"])) return false;
  if (item.from !== undefined && !SUPPLIERS.includes(item.from as string)) return false;
  if (item.oauth2 === undefined) return true;
  if (!isRecord(item.oauth2) || !hasOnly(item.oauth2, ["scopes"])) return false;
  return item.oauth2.scopes === undefined || isNames(item.oauth2.scopes);
}

function hasOnly(value: Record<string, unknown>, members: readonly string[]): boolean {
  return Object.keys(value).every((key) => members.includes(key));
}

function isTimeout(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= MAX_TIMEOUT_MS;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isName);
}
