/** Turns a validator's issues into messages that a model can act on. Never repeats the input, which may be secret. */
import type { Issue } from "./outcome.ts";
import type { SchemaIssue } from "./schema.ts";

/** A valibot issue. Issues of other vendors lack these fields and keep their own message. */
interface ValibotIssue extends SchemaIssue {
  readonly type: string;
  readonly expected: string | null;
  readonly received: string;
  readonly input?: unknown;
  readonly requirement?: unknown;
}

/** Most issues in one response: of a list of a hundred thousand wrong items, only the first are reported. */
const MAX_ISSUES = 100;
/** Most characters of all issues. The caller chooses the names of members, and a path repeats them in each issue. */
const MAX_CHARACTERS = 32_000;
const MAX_STEP = 200;
/** Long enough for most lists of choices. */
const MAX_MESSAGE = 1_000;

/** All issues in order, with dotted paths. If there are too many, the last one says how many more there are. */
export function toIssues(found: readonly SchemaIssue[]): Issue[] {
  const issues: Issue[] = [];
  let room = MAX_CHARACTERS;
  for (const issue of found) {
    const path = dotted(issue);
    const message = cut(messageOf(issue), MAX_MESSAGE);
    room -= path.length + message.length;
    if (issues.length === MAX_ISSUES || room < 0) {
      issues.push({ path: "", message: `and ${found.length - issues.length} more mistakes` });
      break;
    }
    issues.push({ path, message });
  }
  return issues;
}

/** Shortens a text in the middle, because its end often matters more. Never splits a surrogate pair. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max / 2)}…${text.slice(-max / 2)}`.toWellFormed();
}

/**
 * Messages by path, joined if a path has several: `{ b: "Must be a number" }`.
 *
 * @param root key for issues of the whole input
 */
export function byPath(issues: readonly Issue[], root: string): Record<string, string> {
  const texts = new Map<string, string>();
  for (const { path, message } of issues) {
    const key = path || root;
    const before = texts.get(key);
    texts.set(key, before === undefined ? message : `${before}; ${message}`);
  }
  // fromEntries defines members, so a parameter called `__proto__` stays a plain one.
  return Object.fromEntries(texts);
}

/** All issues in one line: `b: Must be a number; c: Is required`. */
export function inOneLine(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
}

function dotted(issue: SchemaIssue): string {
  return (issue.path ?? []).map((step) => cut(String(typeof step === "object" ? step.key : step), MAX_STEP)).join(".");
}

function messageOf(issue: SchemaIssue): string {
  // arktype's messages end with the value that was sent: `must be "a" or "b" (was "…")`.
  if (" arkKind" in issue) return issue.message.split(" (was ", 1)[0] ?? issue.message;
  if (!isValibot(issue)) return issue.message;
  // Replace only valibot's default message, which repeats the received value. An author's own message stays.
  const stock = issue.expected
    ? `: Expected ${issue.expected} but received ${issue.received}`
    : `: Received ${issue.received}`;
  if (!issue.message.startsWith("Invalid ") || !issue.message.endsWith(stock)) return issue.message;
  if (isMissingKey(issue)) return "Is required";
  if (issue.type === "strict_object" && issue.expected === "never") return "Is not a parameter of this tool";
  const expected = EXPECTED[issue.type.replace(/^(strict|loose)_|_with_rest$/, "").replace("tuple", "array")];
  if (typeof expected === "function") return `Must be ${expected(issue.requirement, unitOf(issue))}`;
  if (expected !== undefined) return `Must be ${expected}`;
  return issue.expected ? `Must be ${plain(issue.expected)}` : `Must be a valid ${issue.type.replaceAll("_", " ")}`;
}

function isValibot(issue: SchemaIssue): issue is ValibotIssue {
  return "kind" in issue && "received" in issue && "expected" in issue && "type" in issue;
}

function isMissingKey(issue: ValibotIssue): boolean {
  return issue.received === "undefined" && issue.expected !== "never";
}

/** `("a" | "b")` → `one of "a", "b"`. */
function plain(expected: string): string {
  const options = expected.startsWith("(") ? expected.slice(1, -1).split(" | ") : [expected];
  return options.length > 1 ? `one of ${options.join(", ")}` : expected;
}

/** Whether a length counts characters of a text or items of a list. */
function unitOf({ input }: ValibotIssue): string {
  return typeof input === "string" ? "characters" : "items";
}

/** Text after "Must be", by valibot's name of the schema or check. Variants of a schema share an entry. */
const EXPECTED: Record<string, string | ((requirement: unknown, unit: string) => string)> = {
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  integer: "a whole number",
  min_value: (min) => `at least ${min}`,
  max_value: (max) => `at most ${max}`,
  min_length: (min, unit) => `at least ${min} ${unit} long`,
  max_length: (max, unit) => `at most ${max} ${unit} long`,
  length: (exact, unit) => `exactly ${exact} ${unit} long`,
  non_empty: "filled in",
  multiple_of: (step) => `a multiple of ${step}`,
  regex: (pattern) => `of the form ${pattern}`,
};
