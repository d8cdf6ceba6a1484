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

/** Most issues in one response. A list of a hundred thousand wrong items gets only its first mistakes reported. */
const MAX_ISSUES = 100;
/** Most characters in all issues. The caller chooses the names of members, and a path repeats them in each issue. */
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
  const said = wordsFor(issue);
  if (said !== undefined) return said;
  return issue.expected ? `Must be ${plain(issue.expected)}` : `Must be a valid ${issue.type.replaceAll("_", " ")}`;
}

function wordsFor(issue: ValibotIssue): string | undefined {
  const type = issue.type.replace(/^(strict|loose)_|_with_rest$/, "").replace("tuple", "array");
  const [, limit = "", counted] = /^(min_|max_|not_)?(bytes|entries|graphemes|length|words)$/.exec(type) ?? [];
  if (counted === "entries") return `Must have ${LIMITS[limit]} ${issue.requirement} members`;
  if (counted) return `Must be ${LIMITS[limit]} ${issue.requirement} ${UNITS[counted] ?? unitOf(issue)} long`;
  const words = WORDS[type];
  return typeof words === "function" ? words(issue.requirement) : words;
}

function isValibot(issue: SchemaIssue): issue is ValibotIssue {
  return "kind" in issue && "received" in issue && "expected" in issue && "type" in issue;
}

function isMissingKey(issue: ValibotIssue): boolean {
  return issue.received === "undefined" && issue.expected !== "never";
}

/** `("a" | "b")` → `one of "a", "b"`; `(string | Object)` → `a string or an object` */
function plain(expected: string): string {
  const options = expected.startsWith("(") ? expected.slice(1, -1).split(" | ") : [expected];
  const types = options.map((option) => TYPES[option]);
  if (!types.includes(undefined)) return types.join(" or ");
  return options.length > 1 ? `one of ${options.join(", ")}` : expected;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  Array: "a list",
  Object: "an object",
  null: "null",
};

/** The unit of a length: characters of a text, or items of a list. */
function unitOf({ input }: ValibotIssue): string {
  return typeof input === "string" ? "characters" : "items";
}

const LIMITS: Readonly<Record<string, string>> = {
  "": "exactly",
  min_: "at least",
  max_: "at most",
  not_: "other than",
};
const UNITS: Readonly<Record<string, string>> = { bytes: "bytes", graphemes: "characters", words: "words" };

/** Message for an author's own check that has no message. */
const UNSAID = "Does not pass a check of this tool";

/** Messages by valibot's name for the schema or the action. Variants of a schema share an entry. */
const WORDS: Readonly<Record<string, string | ((requirement: unknown) => string)>> = {
  number: "Must be a number",
  string: "Must be a string",
  boolean: "Must be true or false",
  array: "Must be a list",
  object: "Must be an object",
  record: "Must be an object",
  never: "Must be left out",
  non_nullable: "Must not be null",
  integer: "Must be a whole number",
  safe_integer: "Must be a whole number",
  finite: "Must be a finite number",
  min_value: (min) => `Must be at least ${min}`,
  max_value: (max) => `Must be at most ${max}`,
  gt_value: (limit) => `Must be more than ${limit}`,
  lt_value: (limit) => `Must be less than ${limit}`,
  not_value: (value) => `Must not be ${value}`,
  not_values: (values) => `Must not be ${[values].flat().join(", ")}`,
  multiple_of: (step) => `Must be a multiple of ${step}`,
  empty: "Must be empty",
  non_empty: "Must be filled in",
  regex: (pattern) => `Must be of the form ${pattern}`,
  starts_with: (text) => `Must begin with ${JSON.stringify(text)}`,
  ends_with: (text) => `Must end with ${JSON.stringify(text)}`,
  includes: (part) => `Must contain ${JSON.stringify(part)}`,
  excludes: (part) => `Must not contain ${JSON.stringify(part)}`,
  digits: "Must be digits only",
  email: "Must be an email address",
  url: "Must be a URL, with its scheme",
  iso_date: "Must be a date, such as 2026-11-25",
  iso_date_time: "Must be a date and a time, such as 2026-11-25T12:30",
  iso_time: "Must be a time, such as 12:30",
  iso_timestamp: "Must be a date and a time with its zone, such as 2026-11-25T12:30:00Z",
  parse_json: "Must be JSON text",
  to_number: "Must be a number in a text",
  to_date: "Must be a date in a text",
  to_bigint: "Must be a whole number in a text",
  check: UNSAID,
  check_items: UNSAID,
  every_item: UNSAID,
  some_item: UNSAID,
  guard: UNSAID,
  partial_check: UNSAID,
  raw_check: UNSAID,
  raw_transform: UNSAID,
  transform: UNSAID,
};
