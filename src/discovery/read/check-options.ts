/** Checks the options of a definition: everything except its schemas and functions. */
import * as v from "valibot";
import { isRecord } from "../../core/lib/json.ts";
import type { CommonOptions, ToolOptions } from "../../core/model/definition.ts";
import { broken, NAME, RECORD, type Rule, truth } from "../schema/rules.ts";
import type { Complaint } from "./problem.ts";

/** Options that tools, prompts and resources share, besides title and icons. */
export const COMMON_OPTIONS = [
  "requirements",
  "scopes",
  "rate",
  "timeoutMs",
  "env",
  "trace",
] as const satisfies (keyof CommonOptions)[];

export const TOOL_OPTIONS = [
  "title",
  "annotations",
  ...COMMON_OPTIONS,
  "once",
  "keep",
  "attachments",
  "session",
  "long",
  "icons",
  "meta",
] as const satisfies (keyof ToolOptions)[];

const ANNOTATIONS = ["readOnly", "destructive", "idempotent", "openWorld"];
/** RFC 6749, section 3.3, scope-token; except the comma, which separates scopes in lists, and `*`, which means all. */
const SCOPE = /^(?!\*$)[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/;
/** The longest delay that a timer can hold: 32-bit signed milliseconds. */
const MAX_TIMEOUT_MS = 2_147_483_647;
/** The longest time limit of a long tool: a day. */
const MAX_LONG_MS = 86_400_000;
const NAMES = v.array(NAME);
const SUPPLIER = v.picklist(["caller", "worker"]);
/** Unknown members are invalid, because OXP lists requirements as they are. */
const REQUIREMENTS = v.pipe(
  RECORD,
  v.strictObject({
    secrets: v.optional(v.array(v.union([NAME, v.strictObject({ id: NAME, from: SUPPLIER })]))),
    userId: v.optional(v.boolean()),
    authorization: v.optional(
      v.array(
        v.strictObject({
          id: NAME,
          oauth2: v.optional(v.pipe(RECORD, v.strictObject({ scopes: v.optional(NAMES) }))),
          from: v.optional(SUPPLIER),
        }),
      ),
    ),
  }),
);
const ALL_REQUIREMENTS =
  'requirements: { secrets: ["MY_KEY", { id: "OWN_KEY", from: "worker" }], ' +
  'authorization: [{ id: "google", oauth2: { scopes: ["email"] } }], userId: true }';
/** MCP, schema, Icon. Clients that validate a listing drop all of it because of one invalid member. */
const ICON = v.pipe(
  v.looseObject({
    src: v.pipe(v.string(), v.check(URL.canParse)),
    mimeType: v.optional(v.string()),
    sizes: v.optional(NAMES),
    theme: v.optional(v.picklist(["light", "dark"])),
  }),
  v.check((icon) => isJson(icon)),
);

const COMMON: Readonly<Record<string, Rule>> = {
  title: [v.string(), "its title is not a string", 'write title: "Add two numbers", or leave it out'],
  scopes: [
    v.array(v.pipe(v.string(), v.regex(SCOPE))),
    'its "scopes" is not a list of scopes without spaces, quotes, commas or backslashes',
    'write scopes: ["notes:write"], or leave it out',
  ],
  rate: [
    v.pipe(v.number(), v.integer(), v.minValue(1)),
    "its rate is not a whole number of calls a minute",
    "write rate: 10, and have a rate limiter RATE_10 in the settings file",
  ],
  timeoutMs: [
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_TIMEOUT_MS)),
    `its timeoutMs is not a number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`,
    "write an integer, such as timeoutMs: 30_000",
  ],
  env: [NAMES, 'its "env" is not a list of binding names', 'write env: ["MY_BINDING"]'],
  trace: [v.literal("all"), 'its trace is not "all"', 'write trace: "all", or leave it out'],
  icons: [
    v.array(ICON),
    'its "icons" is not a list of icons as MCP defines them, with an absolute src',
    'write icons: [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"] }]',
  ],
  meta: [
    v.pipe(
      RECORD,
      v.check((meta) => isJson(meta)),
    ),
    'its "meta" is not an object that JSON can represent',
    'write meta: { "example.com/key": "value" }, or leave it out',
  ],
};

const OF_TOOLS: Readonly<Record<string, Rule>> = {
  attachments: truth("attachments"),
  once: truth("once"),
  keep: truth("keep", false),
  session: truth("session"),
  long: [
    v.union([v.boolean(), v.literal("tasks-only")]),
    'its long is not true, false or "tasks-only"',
    "write long: true, or leave it out",
  ],
};

type Definition = Readonly<Record<string, unknown>>;

export function* checkOptions(definition: Definition): Generator<Complaint> {
  yield* checkCommon(definition);
  yield* broken(OF_TOOLS, definition);
  const { long, timeoutMs } = definition;
  if (long && typeof timeoutMs === "number" && timeoutMs > MAX_LONG_MS) {
    const problem = `its timeoutMs is more than a day (${MAX_LONG_MS})`;
    yield { problem, fix: "write a shorter one, or do the work in several calls", member: "timeoutMs" };
  }
  if (definition.annotations !== undefined) yield* checkAnnotations(definition.annotations);
}

/** Checks the options that tools, prompts and resources share. */
export function* checkCommon(definition: Definition): Generator<Complaint> {
  yield* broken(COMMON, definition);
  if (definition.requirements !== undefined) yield* checkRequirements(definition.requirements);
}

function* checkRequirements(requirements: unknown): Generator<Complaint> {
  const member = "requirements";
  const { success, output, issues } = v.safeParse(REQUIREMENTS, requirements);
  if (!success) {
    const [name, at] = (issues[0].path ?? []).map(({ key }) => key);
    const path = `requirements${name === undefined ? "" : `.${name}`}${name === "authorization" && at !== undefined ? `[${at}]` : ""}`;
    return yield { problem: `its ${path} is malformed`, fix: `write ${ALL_REQUIREMENTS}`, member };
  }
  // A name that neither .dev.vars nor a shell could set (POSIX.1-2024, Base Definitions, 3.216 Name).
  const ids = output.secrets?.map((secret) => (typeof secret === "string" ? secret : secret.id));
  const unnamable = ids?.find((id) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(id));
  if (unnamable === undefined) return;
  const problem = `its secret "${unnamable}" cannot be the name of an environment variable`;
  yield { problem, fix: 'write letters, digits and _ (no digit first), as in secrets: ["MY_KEY"]', member };
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
    return yield { problem: 'its "annotations" is not an object', fix, member: "annotations" };
  }
  for (const [name, value] of Object.entries(annotations)) {
    if (name === "title") {
      const problem = "its title is among its annotations";
      yield {
        problem,
        fix: "write title beside annotations: MCP clients get it in both places",
        member: "annotations",
      };
    } else if (!ANNOTATIONS.includes(name)) {
      yield { problem: `there is no annotation "${name}"`, fix, member: "annotations" };
    } else if (value !== undefined && typeof value !== "boolean") {
      yield { problem: `its annotation "${name}" is not true or false`, fix, member: "annotations" };
    }
  }
}
