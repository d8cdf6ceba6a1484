/** All the ways in which a call can end. Each protocol renders them in one exhaustive switch. */

import type { Json } from "../lib/json.ts";
import type { InputResponses } from "./call.ts";
import type { Block, Omitted } from "./content.ts";
import type { Capability, Question } from "./elicitation.ts";
import type { TaskState } from "./task-state.ts";

/** Failure of a tool that ran: the five fields of an OXP tool error (OXP 1.0, "Call Tool", Tool Execution Errors). */
export interface Fault {
  /** Shown to the user and the model. */
  readonly message: string;
  /** For logs; never shown to a user or a model. */
  readonly developerMessage?: string | undefined;
  /** Whether the caller may send the same call again. Absent means no. */
  readonly canRetry?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  /** What a model should know before it retries. */
  readonly additionalPromptContent?: string | undefined;
}

/** One mistake in the input. `path` is dotted (`address.street`, `tags.0`), "" for the input as a whole. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Requirements that a call did not meet: ids only, never values. */
export interface Missing {
  readonly authorization: readonly string[];
  readonly secrets: readonly string[];
  readonly userId: boolean;
  /** Ids of values that only the Worker may supply but does not have. */
  readonly ofWorker: readonly string[];
}

/** Why a tool was not run. Callers may switch on `reason`; message texts may change at any time. */
export type Refusal =
  /** `name` is the id or name exactly as requested: converted to the other form, it might name an existing tool. */
  | { readonly reason: "unknown_tool"; readonly name: string }
  | { readonly reason: "unknown_version"; readonly name: string; readonly id: string; readonly version: string }
  | { readonly reason: "requirements"; readonly name: string; readonly missing: Missing }
  /** `scopes` lists all scopes that the tool demands, so that the principal can request them. */
  | { readonly reason: "scope"; readonly name: string; readonly scopes: readonly string[] }
  | { readonly reason: "busy"; readonly name: string; readonly perMinute: number; readonly retryAfterMs: number }
  | { readonly reason: "running"; readonly retryAfterMs: number }
  | { readonly reason: "unavailable"; readonly retryAfterMs: number }
  | { readonly reason: "conflict" }
  /** The call ran under this key, but its result was not kept: it can be neither returned nor run again. */
  | { readonly reason: "not_kept" }
  /** The tool asked a kind of question that this caller does not support; `question` is the text to show. */
  | { readonly reason: "capability"; readonly capability: Capability; readonly question: string };

export type Outcome =
  | {
      readonly kind: "completed";
      readonly value?: Json | undefined;
      /** Sent together with the value by protocols that support content blocks. */
      readonly blocks?: readonly Block[] | undefined;
      readonly meta?: Readonly<Record<string, Json>> | undefined;
      readonly omit?: Omitted | undefined;
    }
  | { readonly kind: "failed"; readonly fault: Fault }
  | { readonly kind: "invalid"; readonly issues: readonly Issue[] }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "timed_out"; readonly limitMs: number }
  | { readonly kind: "cancelled" }
  /** The call continues when its caller calls again with answers; `answered` holds the answers so far. */
  | {
      readonly kind: "asking";
      readonly questions: ReadonlyMap<string, Question>;
      readonly answered: InputResponses;
    }
  /** The call continues after its request as a task, which has not ended. */
  | { readonly kind: "accepted"; readonly task: TaskState };

/** Whether the tool ran to its end, was stopped, or did not run, for each kind of outcome. */
const RUNS: Readonly<Record<Outcome["kind"], "ended" | "stopped" | undefined>> = {
  completed: "ended",
  failed: "ended",
  timed_out: "stopped",
  cancelled: "stopped",
  invalid: undefined,
  refused: undefined,
  asking: undefined,
  accepted: undefined,
};

/** Whether the tool ran, to its end or until it was stopped. */
export function hasRun({ kind }: Outcome): boolean {
  return RUNS[kind] !== undefined;
}

/** Whether the outcome uses up the call's idempotency key. If not, the same call may run again. */
export function isFinal(outcome: Outcome): boolean {
  return RUNS[outcome.kind] === "ended" && !(outcome.kind === "failed" && outcome.fault.canRetry === true);
}

/** An error that fails the call with this fault, like the ToolError of `#tool`, which the core does not import. */
export function toolFailure(fault: Fault): Error {
  return Object.assign(new Error(fault.message), { name: "ToolError", fault });
}

/** Message to a duplicate call whose result is gone. */
export const NOT_KEPT = "This call has already run; its result was not kept and cannot be repeated";

/** Message for a tool's rate limit. It names the tool, because keys and the deployment also have rate limits. */
export function busyInWords({ name, perMinute }: Refusal & { reason: "busy" }): string {
  return `More than ${perMinute} calls of ${name} in a minute; wait and try again`;
}

/** Lists what is missing: `authorization "google", secret "TWILIO_API_KEY", a user id`. */
export function missingInWords(missing: Missing): string {
  const parts = [
    ...missing.authorization.map((id) => `authorization "${id}"`),
    ...missing.secrets.map((id) => `secret "${id}"`),
    ...(missing.userId ? ["a user id"] : []),
    ...missing.ofWorker.map((id) => `"${id}" (only the server can supply it)`),
  ];
  return parts.join(", ");
}

/** Tells a model what to do about a fault; "" if it cannot do anything. */
export function retryHint(fault: Fault): string {
  if (fault.additionalPromptContent) return fault.additionalPromptContent;
  if (!fault.canRetry) return "";
  return fault.retryAfterMs ? `try again in ${fault.retryAfterMs} ms` : "try again";
}

/** Joins questions into one text, for callers that cannot answer them. */
export function questionsInWords(questions: ReadonlyMap<string, Question>): string {
  return Array.from(questions.values(), questionInWords).join("; ");
}

export function questionInWords(question: Question): string {
  if ("message" in question) return question.message;
  return question.kind === "roots" ? "the caller's roots" : "the caller's model";
}
