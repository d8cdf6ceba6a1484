/** The result of a call under test: its value or error, and what the call did. */
import type { Json } from "../core/lib/json.ts";
import type { LogEntry } from "../core/lib/log.ts";
import type { Block } from "../core/model/content.ts";
import type { LogLevel } from "../core/model/definition.ts";
import { byPath, inOneLine } from "../core/model/issues.ts";
import { busyInWords, type Fault, missingInWords, type Outcome, type Refusal } from "../core/model/outcome.ts";

/** Why a call did not return a value. */
export interface CallError extends Fault {
  /** `failed`: the tool threw. `invalid`: the input is wrong. The others: it was stopped, or did not run at all. */
  readonly reason: "failed" | "invalid" | "timed_out" | "cancelled" | Exclude<Refusal["reason"], `unknown_${string}`>;
  readonly canRetry: boolean;
  /** Messages by parameter, if the input is invalid. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** What the tool threw, if it was not a `ToolError`. Callers never see it. */
  readonly cause?: unknown;
}

export interface LogLine {
  readonly level: LogLevel;
  readonly data: Json;
}

export interface Progress {
  readonly done: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface Emitted {
  readonly name: string;
  readonly data: Readonly<Record<string, Json>>;
  /** Its id, if the tool gave it one or the call had a key. */
  readonly id?: string | undefined;
}

export interface Recorded {
  /** What the tool logged with `ctx.log`. */
  readonly logs: readonly LogLine[];
  /** What it reported with `ctx.progress`. */
  readonly progress: readonly Progress[];
  /** The events that it emitted with `ctx.emit`, in order. */
  readonly events: readonly Emitted[];
  /** The requests that it made. Their bodies can still be read. */
  readonly requests: readonly Request[];
}

export interface Result<Value> extends Recorded {
  /** What the tool returned, as JSON. Throws the {@link error} if there is one. */
  readonly value: Value;
  readonly error: CallError | undefined;
  /** Content of `rich`; empty if the tool returned a plain value. */
  readonly blocks: readonly Block[];
  readonly meta: Readonly<Record<string, Json>>;
  /** Give it to another call to continue the session. Undefined if the call has none. */
  readonly session: string | undefined;
  /** Whether this is the result of an earlier call with the same key. */
  readonly replayed: boolean;
}

interface Ended extends Pick<Result<never>, "session" | "replayed"> {
  readonly outcome: Outcome;
  /** The log entries of level `error`. */
  readonly faults: readonly LogEntry[];
}

/** @param subject name of the tool, prompt or resource, for messages */
export function resultOf(subject: string, { outcome, faults, ...ended }: Ended, recorded: Recorded): Result<never> {
  const { value, blocks = [], meta = {} } = outcome.kind === "completed" ? outcome : {};
  const error = errorOf(outcome, faults);
  const result = { error, blocks, meta, ...ended, ...recorded };
  if (error === undefined) return { value: value as never, ...result };
  return Object.defineProperty(result as Result<never>, "value", {
    get() {
      throw new Error(inWords(subject, error), { cause: error.cause });
    },
  });
}

function errorOf(outcome: Outcome, faults: readonly LogEntry[]): CallError | undefined {
  switch (outcome.kind) {
    case "completed":
      return undefined;
    case "failed": {
      const cause = causeOf(faults);
      return { reason: "failed", ...outcome.fault, canRetry: outcome.fault.canRetry ?? false, ...(cause && { cause }) };
    }
    case "invalid": {
      const parameters = byPath(outcome.issues, "input");
      return { reason: "invalid", message: inOneLine(outcome.issues), canRetry: false, parameters };
    }
    case "timed_out":
      return { reason: "timed_out", message: `It took longer than ${outcome.limitMs} ms`, canRetry: true };
    case "cancelled":
      return { reason: "cancelled", message: "The caller gave up", canRetry: true };
    case "refused":
      return refused(outcome.refusal);
    case "asking":
    case "accepted":
      throw new TypeError("The call has not ended");
    default:
      return outcome satisfies never;
  }
}

function refused(refusal: Refusal): CallError {
  const reason = refusal.reason as CallError["reason"];
  const retryAfterMs = "retryAfterMs" in refusal ? refusal.retryAfterMs : undefined;
  const say: (refusal: never) => string = REFUSALS[refusal.reason];
  return { reason, message: say(refusal as never), canRetry: retryAfterMs !== undefined, retryAfterMs };
}

const REFUSALS: { readonly [Reason in Refusal["reason"]]: (refusal: Extract<Refusal, { reason: Reason }>) => string } =
  {
    requirements: ({ missing }) => `It requires ${missingInWords(missing)}`,
    scope: ({ scopes }) => `It needs the scopes ${scopes.join(" ")}`,
    busy: busyInWords,
    running: () => "A call with this key is still running",
    unavailable: () => "The store of keys cannot be reached",
    capability: ({ question, capability }) => `It asks: ${question}. \`canAsk\` does not have ${capability}`,
    conflict: () => "This key was already used with other input, in another session or with other credentials",
    not_kept: () => "A call with this key has already run, and its result was not kept",
    unknown_tool: ({ name }) => `There is no ${name}`,
    unknown_version: ({ name }) => `There is no ${name}`,
  };

/** The exception behind a failure that is not a `ToolError`, as the log has it. */
function causeOf(faults: readonly LogEntry[]): Error | undefined {
  const described = faults.at(-1)?.error as { name: string; message: string; stack?: string } | undefined;
  if (described === undefined) return undefined;
  const { name, message, stack } = described;
  return Object.assign(new Error(message), { name, ...(stack && { stack }) });
}

function inWords(subject: string, error: CallError): string {
  const { reason, message, cause, parameters: _, ...rest } = error;
  const fields = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [`\n  ${name}: ${value}`],
  );
  const thrown = cause instanceof Error ? `\n  It threw ${cause.name}: ${cause.message}` : "";
  return `${subject} ${VERBS[reason] ?? "did not run"}: ${message}${thrown}${fields.join("")}
To expect this, read \`error\` instead of \`value\`.`;
}

const VERBS: { readonly [Reason in CallError["reason"]]?: string } = {
  failed: "failed",
  invalid: "refused its input",
  timed_out: "was stopped",
  cancelled: "was cancelled",
};
