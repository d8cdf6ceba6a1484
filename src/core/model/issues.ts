/** Turns a validator's issues into words a model can act on. Never repeats what was sent: it may be a secret. */
import type { Issue } from "./outcome.ts";
import type { SchemaIssue } from "./schema.ts";

/** What valibot adds to an issue. Other vendors' issues have none of it and keep their own message. */
interface ValibotIssue extends SchemaIssue {
  readonly type: string;
  readonly expected: string | null;
  readonly received: string;
  readonly requirement?: unknown;
}

/** Issues that one answer names: a list of a hundred thousand wrong items is told by its first. */
const MAX_ISSUES = 100;
/** Characters that they may have together. A member's name is the caller's, and is part of each issue below it. */
const MAX_CHARACTERS = 32_000;
const MAX_STEP = 200;
/** An author's list of choices is told in full if it is not too long. */
const MAX_MESSAGE = 1_000;

/** Every issue, in order, at its dotted path. Those for which there is no room are counted in the last. */
export function toIssues(found: readonly SchemaIssue[]): Issue[] {
  const told: Issue[] = [];
  let room = MAX_CHARACTERS;
  for (const issue of found) {
    const path = dotted(issue);
    const message = cut(words(issue), MAX_MESSAGE);
    room -= path.length + message.length;
    if (told.length === MAX_ISSUES || room < 0) {
      told.push({ path: "", message: `and ${found.length - told.length} more mistakes` });
      break;
    }
    told.push({ path, message });
  }
  return told;
}

/** Cut within, as the end often says more than the middle; never through a surrogate pair. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 2)}…${text.slice(-most / 2)}`.toWellFormed();
}

/** Issues by path, several at one path joined: `{ b: "Must be a number" }`. The whole input goes by `root`. */
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

/** The same on one line: `b: Must be a number; c: Is required`. */
export function inOneLine(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
}

function dotted(issue: SchemaIssue): string {
  return (issue.path ?? []).map((step) => cut(String(typeof step === "object" ? step.key : step), MAX_STEP)).join(".");
}

function words(issue: SchemaIssue): string {
  // What was sent stands at the end of arktype's sentences: `must be "a" or "b" (was "…")`.
  if (" arkKind" in issue) return issue.message.split(" (was ", 1)[0] ?? issue.message;
  if (!isValibot(issue)) return issue.message;
  // An author's own message stays; only valibot's stock sentence, which repeats the received value, is replaced.
  const stock = issue.expected
    ? `: Expected ${issue.expected} but received ${issue.received}`
    : `: Received ${issue.received}`;
  if (!issue.message.startsWith("Invalid ") || !issue.message.endsWith(stock)) return issue.message;
  if (isMissingKey(issue)) return "Is required";
  if (issue.type === "strict_object" && issue.expected === "never") return "Is not a parameter of this tool";
  const said = WORDS[issue.type.replace(/^(strict|loose)_|_with_rest$/, "").replace("tuple", "array")];
  if (said !== undefined) return `Must be ${typeof said === "function" ? said(issue.requirement) : said}`;
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

/** What follows "Must be", by valibot's name of the schema or check; a family of schemas goes by the end of its name. */
const WORDS: Record<string, string | ((requirement: unknown) => string)> = {
  number: "a number",
  string: "a string",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  integer: "a whole number",
  min_value: (least) => `at least ${least}`,
  max_value: (most) => `at most ${most}`,
  min_length: (least) => `of a length of at least ${least}`,
  max_length: (most) => `of a length of at most ${most}`,
  length: (exact) => `of a length of ${exact}`,
  non_empty: "filled in",
  multiple_of: (step) => `a multiple of ${step}`,
  regex: (pattern) => `of the form ${pattern}`,
};
