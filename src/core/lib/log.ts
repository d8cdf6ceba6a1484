/** The Worker's log: one JSON object a line. Takes no input, secret or token of a call. */
import { isRecord, type Json, toJson } from "./json.ts";
import type { Scrub } from "./scrub.ts";

export interface LogEntry {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

/**
 * What is known of something thrown, for the log only.
 *
 * @param scrub takes secrets out
 */
export function describeError(
  error: unknown,
  scrub: Scrub = String,
): { name: string; message: string; stack?: string | undefined } {
  try {
    if (!(error instanceof Error)) return { name: typeof error, message: scrub(String(error)) };
    // Each may be anything, or a getter that throws: a log line must not fail the call that it is about.
    const { name, message, stack } = error;
    return { name: scrub(String(name)), message: scrub(String(message)), stack: stack && scrub(String(stack)) };
  } catch {
    return { name: typeof error, message: "(cannot be described)" };
  }
}

/** Lists and objects that {@link toLoggable} goes through member by member, so that a graph costs no more than a tree. */
const MAX_OPENED = 100;
const LEFT_OUT = "(left out: told before, or one of too many)";

/**
 * The JSON that `value` stands for, with words in place of what JSON cannot carry: a log line must not fail the call that
 * it is about. Never throws. An error is told without its stack, as callers read these lines as well.
 *
 * @param opened what has been gone through so far
 */
export function toLoggable(value: unknown, opened = new Set<unknown>()): Json {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "object" && value !== null && (opened.has(value) || opened.size === MAX_OPENED)) return LEFT_OUT;
  try {
    return toJson(value);
  } catch (error) {
    return standIn(value, describeError(error).message, opened);
  }
}

/** @param problem why the whole is not JSON */
function standIn(value: unknown, problem: string, opened: Set<unknown>): Json {
  try {
    if (typeof value === "bigint") return String(value);
    if (value instanceof Error) {
      const { name, message } = describeError(value);
      return { name, message };
    }
    opened.add(value);
    if (Array.isArray(value)) return value.map((item) => toLoggable(item, opened));
    // The platform's classes keep what they hold where nobody sees it: a Map has no members.
    if (!isRecord(value) || Object.prototype.toString.call(value) !== "[object Object]") return problem;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [name, toLoggable(member, opened)]));
  } catch {
    return problem;
  }
}
