/**
 * Holds calls to the schema that is published, where the tool's library or its author may let more pass. Discovery
 * compiles that schema, and wraps the tools that need it in {@link checked}: no other tool brings this file along.
 */
import { canonical } from "../lib/json.ts";
import { isPromise } from "../lib/maybe-promise.ts";
import type { ToolDefinition } from "../model/definition.ts";
import {
  isLarge,
  type SchemaIssue,
  type StandardSchema,
  type Validated,
  validate,
  validateInput,
} from "../model/schema.ts";

/** What discovery compiles of one tool's parameters. Each part stops at its first mistake: answers stay short. */
export interface Check {
  readonly required: readonly string[];
  readonly properties: readonly (readonly [name: string, part: Part])[];
  /** What is said of all parameters together. */
  readonly whole?: Part | undefined;
}

/** As ajv compiles it. It leaves what is wrong on itself, to be read before it is called again. */
type Part = ((value: unknown) => boolean) & { errors?: readonly Mistake[] | null };

/** ajv's ErrorObject; `instancePath` is a JSON Pointer (RFC 6901). Holds nothing of what was sent but members' names. */
interface Mistake {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What is wrong is this name, of a member. */
  readonly propertyName?: string;
}

interface DefinitionModule {
  readonly default: ToolDefinition | ToolDefinition[];
}

/** @param checks by the tool's place in its module; none for tools that need none */
export async function checked(
  module: Promise<DefinitionModule>,
  checks: Promise<{ readonly default: readonly (Check | undefined)[] }>,
): Promise<DefinitionModule> {
  const [{ default: tools }, { default: found }] = await Promise.all([module, checks]);
  const withCheck = (tool: ToolDefinition, place: number): ToolDefinition => {
    const check = found[place];
    if (!check || !tool.input) return tool;
    // No copy: a definition may be of a class, with `run` among what it inherits.
    return Object.create(tool, { input: { value: strict(tool.input, check), enumerable: true } });
  };
  return { default: Array.isArray(tools) ? tools.map(withCheck) : withCheck(tools, 0) };
}

/** A schema that complains of what `schema` does, and of what the check finds in other parameters. */
function strict(schema: StandardSchema, check: Check): StandardSchema {
  const strictly = (value: unknown) => {
    // Before the schema, which may change what it is given.
    const found = mistakesOf(value as Record<string, unknown>, check);
    if (found.length === 0) return validateInput(schema, value);
    const refused = { issues: found };
    if (isLarge(value)) return refused;
    // What a schema does not expect, such as to make a number of an object, may make it throw.
    try {
      const verdict = validate(schema, value);
      if (!isPromise(verdict)) return joined(verdict, found);
      return verdict.then(
        (later) => joined(later, found),
        () => refused,
      );
    } catch {
      return refused;
    }
  };
  return { "~standard": { version: 1, vendor: "trivet", validate: strictly } };
}

function joined(verdict: Validated<unknown>, found: readonly SchemaIssue[]): Validated<unknown> {
  const own = verdict.issues ?? [];
  const told = new Set(own.map(parameterOf));
  return { issues: [...own, ...found.filter((issue) => !told.has(parameterOf(issue)))] };
}

function parameterOf({ path }: SchemaIssue): PropertyKey | undefined {
  const step = path?.[0];
  return typeof step === "object" ? step.key : step;
}

/** At most one for each parameter of the tool, and one for all of them together. */
function mistakesOf(input: Readonly<Record<string, unknown>>, check: Check): SchemaIssue[] {
  const missing = check.required.filter((name) => !Object.hasOwn(input, name));
  const issues: SchemaIssue[] = missing.map((name) => ({ path: [name], message: REQUIRED }));
  for (const [name, part] of check.properties) {
    if (Object.hasOwn(input, name) && !part(input[name])) issues.push(issueOf(part.errors ?? [], [name]));
  }
  if (check.whole && !check.whole(input)) {
    const issue = issueOf(check.whole.errors ?? [], []);
    if (!issues.some((other) => parameterOf(other) === parameterOf(issue))) issues.push(issue);
  }
  return issues;
}

/**
 * One issue of what ajv leaves: mistakes of all alternatives, and behind them that none fits. The alternatives that went
 * furthest into what was sent say what is wrong with it.
 *
 * @param within what leads to the value that was checked
 */
function issueOf(mistakes: readonly Mistake[], within: readonly string[]): SchemaIssue {
  const last = mistakes.slice(-1);
  // No item of all that there are is wrong by itself, and no form of two that both fit.
  const isWhole = last.some(({ keyword, params }) => keyword === "contains" || params.passingSchemas);
  const isCause = ({ keyword, propertyName }: Mistake) => !COMBINING.has(keyword) && propertyName === undefined;
  const causes = isWhole ? [] : mistakes.filter(isCause);
  const depth = causes.reduce((deepest, mistake) => Math.max(deepest, stepsOf(mistake).length), 0);
  const deepest = causes.filter((mistake) => stepsOf(mistake).length === depth);
  const said = (deepest.length > 0 ? deepest : last).slice(0, MAX_ALTERNATIVES);
  const [path = [], ...others] = said.map(stepsOf);
  const isOne = others.every((other) => String(other) === String(path));
  // Of several members, it cannot be said which of them should be another.
  const common = isOne ? path : path.filter((step, at) => others.every((other) => other[at] === step));
  const texts = said.map((mistake) => [...stepsOf(mistake).slice(common.length), words(mistake)].join(": "));
  return { path: [...within, ...common], message: alternatives(texts) };
}

/** `Must be a string or a number`. */
function alternatives(said: readonly string[]): string {
  const different = [...new Set(said)];
  if (!different.every((text) => text.startsWith(MUST_BE))) return different.join(", or ");
  return MUST_BE + different.map((text) => text.slice(MUST_BE.length)).join(" or ");
}

/** Alternatives that one message names. */
const MAX_ALTERNATIVES = 8;
const MUST_BE = "Must be ";
const REQUIRED = "Is required";
const COMBINING: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if"]);
/** What a mistake calls a member that is missing, or should be. */
const MEMBER = ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"];

function stepsOf({ instancePath, params }: Mistake): string[] {
  const steps = instancePath.split("/").slice(1);
  const member = MEMBER.map((name) => params[name]).find((name) => typeof name === "string");
  const decoded = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return member === undefined ? decoded : [...decoded, String(member)];
}

/** Never what was sent: it may be a secret. */
function words({ keyword, params }: Mistake): string {
  const said = WORDS[keyword] ?? "Must be as the schema says";
  return typeof said === "function" ? said(params) : said;
}

const TYPES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

const WORDS: Readonly<Record<string, string | ((params: Mistake["params"]) => string)>> = {
  type: ({ type }) =>
    MUST_BE +
    [type]
      .flat()
      .map((name) => TYPES[String(name)] ?? name)
      .join(" or "),
  const: ({ allowedValue }) => MUST_BE + JSON.stringify(allowedValue),
  enum: ({ allowedValues }) =>
    `Must be one of ${(allowedValues as unknown[]).map((it) => JSON.stringify(it)).join(", ")}`,
  minimum: ({ limit }) => `Must be at least ${limit}`,
  maximum: ({ limit }) => `Must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `Must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `Must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `Must be a multiple of ${multipleOf}`,
  minLength: ({ limit }) => `Must be at least ${limit} characters long`,
  maxLength: ({ limit }) => `Must be at most ${limit} characters long`,
  pattern: ({ pattern }) => `Must be of the form ${pattern}`,
  minItems: ({ limit }) => `Must have at least ${limit} items`,
  maxItems: ({ limit }) => `Must have at most ${limit} items`,
  items: ({ limit }) => `Must have at most ${limit} items`,
  unevaluatedItems: ({ len }) => `Must have at most ${len} items`,
  uniqueItems: "Must not have an item twice",
  minProperties: ({ limit }) => `Must have at least ${limit} members`,
  maxProperties: ({ limit }) => `Must have at most ${limit} members`,
  required: REQUIRED,
  dependentRequired: REQUIRED,
  additionalProperties: "Is not a parameter of this tool",
  unevaluatedProperties: "Is not a parameter of this tool",
  propertyNames: "Must have another name",
  contains: "Must have an item of the kind that the schema asks for",
  oneOf: "Must be of one of the forms in the schema, and of no other",
  not: "Must not be what the schema excludes",
  "false schema": "Must be left out",
};

/** What compiled checks call. JSON counts code points (RFC 8259, section 7, by way of JSON Schema, minLength). */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) length -= 1;
  return length;
}

/** ajv's own comparison asks values for their `valueOf`, which a caller can name a member. */
export function areEqual(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** In one pass: comparing each with each, a list of 100,000 items takes minutes. */
export function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}
