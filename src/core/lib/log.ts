/** The Worker's log: one JSON object per line, without inputs, secrets and tokens of calls. */
import { isRecord, type Json, toJson } from "./json.ts";
import type { Scrub } from "./scrub.ts";

export interface LogEntry {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

export const log: Log = (entry) => console.log(JSON.stringify(entry));

/** A thrown value as plain data. */
export interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: DescribedError | undefined;
}

/** How many nested causes of an error to describe. Errors have few, but causes may form a cycle. */
export const MAX_CAUSES = 8;

/**
 * Describes a thrown value and its causes for the log; callers of a deployment must not see it. Never throws.
 *
 * @param scrub removes secrets from each text
 */
export function describeError(error: unknown, scrub: Scrub = String, causes = MAX_CAUSES): DescribedError {
  try {
    if (!(error instanceof Error)) return { name: typeof error, message: scrub(String(error)) };
    // Each may have any type, or be a getter that throws. Logging must not fail the call.
    const { name, message, stack, cause } = error;
    return {
      name: scrub(String(name)),
      message: scrub(String(message)),
      stack: stack && scrub(String(stack)),
      cause: cause === undefined || causes === 0 ? undefined : describeError(cause, scrub, causes - 1),
    };
  } catch {
    return { name: typeof error, message: "(cannot be described)" };
  }
}

/** A described error and its causes on one line, without the stack: `TypeError: no (caused by Error: disk full)`. */
export function errorInWords({ name, message, cause }: DescribedError): string {
  const words = `${name}: ${message}`;
  return cause === undefined ? words : `${words} (caused by ${errorInWords(cause)})`;
}

/** Most lists and objects that {@link toLoggable} describes member by member, so that shared references stay cheap. */
const MAX_OPENED = 100;
const OMITTED = "(omitted: already described, or too many values)";

/**
 * Converts a value to JSON and replaces the parts that JSON cannot represent by a description. Never throws, because
 * logging must not fail the call. Leaves out the stack of errors, because callers also see the result.
 *
 * @param opened lists and objects that are already described
 */
export function toLoggable(value: unknown, opened = new Set<unknown>()): Json {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "object" && value !== null && (opened.has(value) || opened.size === MAX_OPENED)) return OMITTED;
  try {
    return toJson(value);
  } catch (error) {
    return substitute(value, describeError(error).message, opened);
  }
}

/** @param problem why the whole value is not JSON */
function substitute(value: unknown, problem: string, opened: Set<unknown>): Json {
  try {
    if (typeof value === "bigint") return String(value);
    if (value instanceof Error) {
      const { name, message } = describeError(value);
      return { name, message };
    }
    opened.add(value);
    if (Array.isArray(value)) return value.map((item) => toLoggable(item, opened));
    // The platform's classes hide their contents: a Map has no members.
    if (!isRecord(value) || Object.prototype.toString.call(value) !== "[object Object]") return problem;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [name, toLoggable(member, opened)]));
  } catch {
    return problem;
  }
}

/**
 * Logs mistakes in settings. The Worker keeps running and uses the defaults of these settings instead. Discovery
 * refuses mistakes in wrangler.toml, but a secret may have the name of a setting.
 */
export function logMistakes(
  mistakes: readonly { readonly setting: string; readonly problem: string; readonly fix: string }[],
  log: Log,
): void {
  for (const { setting, problem, fix } of mistakes) {
    log({ level: "error", message: `${problem}: ${fix}. Until then, its default counts`, setting });
  }
}
