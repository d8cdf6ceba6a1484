/** The Worker's log: one JSON object a line. Takes no input, secret or token of a call. */
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
