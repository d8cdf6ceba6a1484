/**
 * Checks values against the listed schema where an author's own schema may accept more: input and results of tools,
 * data of events. Discovery compiles the listed schemas and wraps such tools in {@link checked}; in a fork without such
 * tools, this file is not bundled.
 */
import { canonical, isRecord, toJson } from "../lib/json.ts";
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
import type { DefinitionModule } from "./generated-catalog.ts";

/** A compiled check. Each part stops at its first mistake, to keep responses short. */
export interface Check {
  readonly required: readonly string[];
  readonly properties: readonly (readonly [name: string, part: Part])[];
  /** Checks all parameters together, or a result. */
  readonly whole?: Part | undefined;
}

/** The compiled checks of one tool. Each is absent if the tool's own schema already checks everything. */
export interface Checks {
  readonly input?: Check | undefined;
  readonly output?: Check | undefined;
}

/** A validator that ajv compiled. It stores the mistakes that it found in its property `errors` until the next call. */
type Part = ((value: unknown) => boolean) & { errors?: readonly AjvError[] | null };

/** ajv's ErrorObject. `instancePath` is a JSON Pointer (RFC 6901) and contains only names of members, no values. */
interface AjvError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Set if a member's name is wrong, not its value. */
  readonly propertyName?: string;
}

/**
 * Adds the compiled checks to the tools of a module.
 *
 * @param checks by the tool's index in its module; undefined for a tool that needs none
 */
export async function checked(
  module: Promise<DefinitionModule>,
  checks: Promise<{ readonly default: readonly Checks[] }>,
): Promise<DefinitionModule> {
  const [{ default: tools }, { default: compiled }] = await Promise.all([module, checks]);
  const withCheck = (tool: ToolDefinition, index: number): ToolDefinition => {
    const { input, output } = compiled[index] ?? {};
    const members: PropertyDescriptorMap = {};
    if (input && tool.input) members.input = { value: strict(tool.input, input), enumerable: true };
    if (output && tool.output) members.output = { value: keepingPromises(tool.output, output), enumerable: true };
    // Not a copy, because a definition may be an instance of a class and inherit `run`.
    return input || output ? Object.create(tool, members) : tool;
  };
  return { default: Array.isArray(tools) ? tools.map(withCheck) : withCheck(tools, 0) };
}

/** A schema that reports the issues of `schema` and, for all other parameters, those of the check. */
function strict(schema: StandardSchema, check: Check): StandardSchema {
  const validateStrictly = (value: unknown) => {
    // Check before the schema runs, because the schema may modify the value.
    const issues = issuesIn(value as Record<string, unknown>, check);
    if (issues.length === 0) return validateInput(schema, value as object);
    const invalid = { issues };
    if (isLarge(value)) return invalid;
    // A value that the schema does not expect (an object to be turned into a number) may make it throw.
    try {
      const validated = validate(schema, value);
      if (!isPromise(validated)) return withIssues(validated, issues);
      return validated.then(
        (later) => withIssues(later, issues),
        () => invalid,
      );
    } catch {
      return invalid;
    }
  };
  return { "~standard": { version: 1, vendor: "trivet", validate: validateStrictly } };
}

/** A schema of results that also checks the output of `schema` against the listed schema. */
function keepingPromises(schema: StandardSchema, check: Check): StandardSchema {
  const validateResult = (value: unknown) => {
    const validated = validate(schema, value);
    return isPromise(validated) ? validated.then((later) => heldTo(check, later)) : heldTo(check, validated);
  };
  return { "~standard": { version: 1, vendor: "trivet", validate: validateResult } };
}

/**
 * Checks a validated value against the listed schema, in the form in which it is sent: JSON.
 *
 * @throws {NotJson} if JSON cannot represent it
 */
export function heldTo({ whole }: Check, validated: Validated<unknown>): Validated<unknown> {
  // The code that sends the result decides what to do without a value.
  if (!whole || validated.issues || validated.value === undefined) return validated;
  const dropped: string[] = [];
  const value = toJson(validated.value, "", 0, dropped);
  const sent = dropped.length === 0 ? value : JSON.parse(JSON.stringify(value));
  if (whole(sent)) return { value };
  const issue = issueOf(whole.errors ?? [], []);
  // The code that sends the result reports what JSON drops, with a better message.
  return dropped.includes(issue.path?.join(".") ?? "") ? { value } : { issues: [issue] };
}

function withIssues(validated: Validated<unknown>, issues: readonly SchemaIssue[]): Validated<unknown> {
  const own = validated.issues ?? [];
  const reported = new Set(own.map(parameterOf));
  return { issues: [...own, ...issues.filter((issue) => !reported.has(parameterOf(issue)))] };
}

function parameterOf({ path }: SchemaIssue): PropertyKey | undefined {
  const step = path?.[0];
  return typeof step === "object" ? step.key : step;
}

/** Returns at most one issue per parameter, and one for all parameters together. */
function issuesIn(input: Readonly<Record<string, unknown>>, check: Check): SchemaIssue[] {
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
 * Turns ajv's mistakes into one issue. For a union, ajv lists the mistakes of each alternative, then the union's own.
 * The alternatives that matched deepest into the value describe best what is wrong with it.
 *
 * @param within path of the value that was checked
 */
function issueOf(mistakes: readonly AjvError[], within: readonly string[]): SchemaIssue {
  const last = mistakes.slice(-1);
  // If no item matches `contains`, or several alternatives of `oneOf` match, no single part of the value is wrong.
  const isWhole = last.some(({ keyword, params }) => keyword === "contains" || params.passingSchemas);
  const isCause = ({ keyword, propertyName }: AjvError) => !COMBINING.has(keyword) && propertyName === undefined;
  const causes = isWhole ? [] : mistakes.filter(isCause);
  const depth = causes.reduce((deepest, mistake) => Math.max(deepest, stepsOf(mistake).length), 0);
  const deepest = causes.filter((mistake) => stepsOf(mistake).length === depth);
  const reported = (deepest.length > 0 ? deepest : last).slice(0, MAX_ALTERNATIVES);
  const [path = [], ...others] = reported.map(stepsOf);
  const isOne = others.every((other) => String(other) === String(path));
  // If the mistakes are in several members, we cannot tell which of them is wrong.
  const common = isOne ? path : path.filter((step, at) => others.every((other) => other[at] === step));
  const messages = reported.map((mistake) => [...stepsOf(mistake).slice(common.length), messageOf(mistake)].join(": "));
  return { path: [...within, ...common], message: joinAlternatives(messages) };
}

/** Joins messages, and shares their beginning: `Must be a string or a number`. */
function joinAlternatives(messages: readonly string[]): string {
  const different = [...new Set(messages)];
  if (!different.every((text) => text.startsWith(MUST_BE))) return different.join(", or ");
  return MUST_BE + different.map((text) => text.slice(MUST_BE.length)).join(" or ");
}

const MAX_ALTERNATIVES = 8;
const MUST_BE = "Must be ";
const REQUIRED = "Is required";
const COMBINING: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if"]);
/** ajv's parameters that name a missing or unexpected member. */
const MEMBER = ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"];

function stepsOf({ instancePath, params }: AjvError): string[] {
  const steps = instancePath.split("/").slice(1);
  const member = MEMBER.map((name) => params[name]).find((name) => typeof name === "string");
  const decoded = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return member === undefined ? decoded : [...decoded, String(member)];
}

/** Never repeats the input, which may be secret. */
function messageOf({ keyword, params }: AjvError): string {
  const message = MESSAGES[keyword] ?? "Must be valid against the schema";
  return typeof message === "function" ? message(params) : message;
}

const TYPES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

const MESSAGES: Readonly<Record<string, string | ((params: AjvError["params"]) => string)>> = {
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
  uniqueItems: "Must not contain an item twice",
  minProperties: ({ limit }) => `Must have at least ${limit} members`,
  maxProperties: ({ limit }) => `Must have at most ${limit} members`,
  required: REQUIRED,
  dependentRequired: REQUIRED,
  additionalProperties: "Is not a parameter of this tool",
  unevaluatedProperties: "Is not a parameter of this tool",
  propertyNames: "Must have a different name",
  contains: "Must contain an item that the schema requires",
  oneOf: "Must match exactly one of the schema's alternatives",
  not: "Must not be a value that the schema excludes",
  "false schema": "Must be omitted",
};

/**
 * Length in code points, for compiled checks: JSON Schema counts the characters of RFC 8259 (Validation, 6.3.1 and
 * 6.3.2).
 */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) length -= 1;
  return length;
}

/**
 * Replaces ajv's comparison with a constant, which calls `valueOf`: a caller could send a member of that name. Its cost
 * depends on the size of the constant only, because a choice of constants compares the same input with each of them.
 */
export function areEqual(sent: unknown, constant: unknown): boolean {
  if (Array.isArray(constant)) {
    if (!Array.isArray(sent) || sent.length !== constant.length) return false;
    return constant.every((item, index) => areEqual(sent[index], item));
  }
  if (!isRecord(constant)) return sent === constant;
  if (!isRecord(sent)) return false;
  const names = Object.keys(constant);
  if (!names.every((name) => Object.hasOwn(sent, name) && areEqual(sent[name], constant[name]))) return false;
  return Object.keys(sent).length === names.length;
}

export interface Choices {
  readonly values: readonly unknown[];
  has(sent: unknown): boolean;
}

/** A lookup of an `enum`'s values. Its cost does not depend on their number: a list may have 200,000 items to check. */
export function choicesOf(values: readonly unknown[]): Choices {
  const isNested = (value: unknown) => typeof value === "object" && value !== null;
  const plain = new Set(values);
  const nested = new Set(values.filter(isNested).map(canonical));
  return {
    values,
    has: (sent) => plain.has(sent) || (nested.size > 0 && isNested(sent) && nested.has(canonical(sent))),
  };
}

/** Whether all items differ. Takes linear time: comparing each pair takes minutes for 100,000 items. */
export function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}
