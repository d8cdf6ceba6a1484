/** The Worker's log: one JSON object a line. Takes no input, secret or token of a call. */

export interface LogEntry {
  readonly level: "debug" | "info" | "warning" | "error";
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

/** What is known of something thrown, for the log only. */
export function describeError(error: unknown): { name: string; message: string; stack?: string | undefined } {
  if (error instanceof Error) return { name: error.name, message: error.message, stack: error.stack };
  return { name: typeof error, message: String(error) };
}
