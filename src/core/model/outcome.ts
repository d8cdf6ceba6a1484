/** How a call can end: the whole vocabulary. Each protocol renders it in one exhaustive switch. No wire words here. */

import type { Json } from "../lib/json.ts";
import type { InputResponses } from "./call.ts";
import type { Block } from "./content.ts";
import type { Capability, Question } from "./elicitation.ts";

/** The tool ran and says no. The five fields of an OXP tool error ("Call Tool", Tool Execution Errors). */
export interface Fault {
  /** For the user and the model. */
  readonly message: string;
  /** For logs; never shown to a user or a model. */
  readonly developerMessage?: string | undefined;
  /** Whether the same call may be sent again. Absent means no. */
  readonly canRetry?: boolean | undefined;
  /** Milliseconds to wait before doing so. */
  readonly retryAfterMs?: number | undefined;
  /** What a model should know when it tries again. */
  readonly additionalPromptContent?: string | undefined;
}

/** One thing wrong with one parameter. `path` is dotted (`address.street`, `tags.0`), "" for the input as a whole. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What a tool requires and the call did not bring: ids only, never values. */
export interface Missing {
  readonly authorization: readonly string[];
  readonly secrets: readonly string[];
  readonly userId: boolean;
  /** Missing values that only the Worker may supply. */
  readonly ofWorker: readonly string[];
}

/** Why a call was stopped before its tool ran. Callers may switch on `reason`; texts can change any day. */
export type Refusal =
  /** `name` exactly as requested, id or name: its other form may be an existing tool's. */
  | { readonly reason: "unknown_tool"; readonly name: string }
  | { readonly reason: "unknown_version"; readonly name: string; readonly id: string; readonly version: string }
  | { readonly reason: "requirements"; readonly name: string; readonly missing: Missing }
  /** All scopes that the tool demands, for a principal that can come back with them. */
  | { readonly reason: "scope"; readonly name: string; readonly scopes: readonly string[] }
  /** Called more often than the tool allows one principal. */
  | { readonly reason: "busy"; readonly name: string; readonly perMinute: number; readonly retryAfterMs: number }
  | { readonly reason: "running"; readonly retryAfterMs: number }
  | { readonly reason: "unavailable"; readonly retryAfterMs: number }
  | { readonly reason: "conflict" }
  /** It ran under this key, but the result was not kept: it can neither be returned nor run again. */
  | { readonly reason: "not_kept" }
  /** The tool asks what this caller cannot be asked. */
  | { readonly reason: "capability"; readonly capability: Capability };

export type Outcome =
  | {
      readonly kind: "completed";
      readonly value?: Json | undefined;
      /** Shown in place of the value's text, where a protocol has room for them. */
      readonly blocks?: readonly Block[] | undefined;
      readonly meta?: Readonly<Record<string, Json>> | undefined;
    }
  | { readonly kind: "failed"; readonly fault: Fault }
  | { readonly kind: "invalid"; readonly issues: readonly Issue[] }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "timed_out"; readonly limitMs: number }
  | { readonly kind: "cancelled" }
  /** It goes on when its caller calls again with answers; `answered` are those that it had so far. */
  | {
      readonly kind: "asking";
      readonly questions: ReadonlyMap<string, Question>;
      readonly answered: InputResponses;
    };

/** Whether sending the same call again may end differently, so that its key must not be used up. */
export function isFinal(outcome: Outcome): boolean {
  return outcome.kind === "completed" || (outcome.kind === "failed" && outcome.fault.canRetry !== true);
}

/** What a duplicate is told whose result is gone. */
export const NOT_KEPT = "This call has already run; its result was not kept and cannot be repeated";

/** Which limit it is, and what to do: a key and the deployment have limits of their own. */
export function busyInWords({ name, perMinute }: Refusal & { reason: "busy" }): string {
  return `Over ${perMinute} calls of ${name} a minute; wait and try again`;
}

/** What is missing, in words: `authorization "google", secret "TWILIO_API_KEY", a user id`. */
export function missingInWords(missing: Missing): string {
  const parts = [
    ...missing.authorization.map((id) => `authorization "${id}"`),
    ...missing.secrets.map((id) => `secret "${id}"`),
    ...(missing.userId ? ["a user id"] : []),
    ...missing.ofWorker.map((id) => `"${id}" (only the server can supply it)`),
  ];
  return parts.join(", ");
}

/** What to do about a fault, in words a model can act on; "" when there is nothing to do. */
export function retryHint(fault: Fault): string {
  if (fault.additionalPromptContent) return fault.additionalPromptContent;
  if (!fault.canRetry) return "";
  return fault.retryAfterMs ? `try again in ${fault.retryAfterMs} ms` : "try again";
}

/** Questions in words, for callers that have no way to answer them within the call. */
export function questionsInWords(questions: ReadonlyMap<string, Question>): string {
  const inWords = (question: Question) =>
    "message" in question ? question.message : question.kind === "roots" ? "the caller's roots" : "the caller's model";
  return Array.from(questions.values(), inWords).join("; ");
}
