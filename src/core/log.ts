/** The Worker's log: one JSON object a line. Takes no input, secret or token of a call. */

export interface LogEntry {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

/** What is known of something thrown, for the log only. */
export function describeError(error: unknown): { name: string; message: string; stack?: string | undefined } {
  try {
    if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
    // Each may be anything, or a getter that throws: a log line must not fail the call that it is about.
    return { name: String(error.name), message: String(error.message), stack: error.stack && String(error.stack) };
  } catch {
    return { name: typeof error, message: "(cannot be described)" };
  }
}
