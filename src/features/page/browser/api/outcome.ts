/** How a call ended, for views: the same whether it went over OXP or MCP. */
import type { Block } from "./blocks.ts";

export interface Ended {
  /** From the click to the end, with the network and the time for answers. */
  readonly ms: number;
  /** Whether an earlier call with this id had run, so that this is its result. */
  readonly replayed: boolean;
}

export interface Succeeded extends Ended {
  readonly ok: true;
  /** undefined or null for a tool that returns nothing. */
  readonly value: unknown;
  /** Pictures and the like, besides the value. */
  readonly content: readonly Block[];
}

export type Result = Pick<Succeeded, "value" | "content" | "replayed">;

export type FailureKind =
  /** The input does not fit: `parameterErrors`. */
  | "input"
  /** The call lacks secrets, tokens or a user id: `missing`. */
  | "needs"
  /** The server does not run this for this caller: a credential or `scopes` are missing, or there is no such tool. */
  | "refused"
  | "failed"
  /** Too many calls, or the server is not available at the moment. */
  | "busy"
  | "timeout"
  | "cancelled"
  | "offline"
  /** An answer that cannot be used, or only a part of one: the tool may have run. */
  | "broken";

export interface Missing {
  readonly secrets: readonly string[];
  /** Ids of tokens. */
  readonly authorizations: readonly string[];
  readonly userId: boolean;
}

export interface Failure extends Ended {
  readonly ok: false;
  readonly kind: FailureKind;
  /** A sentence for the person. */
  readonly message: string;
  /** What the tool adds for a model that tries again: OXP's `additional_prompt_content`. */
  readonly hint?: string | undefined;
  readonly developerMessage?: string | undefined;
  /** By path, such as `rows.0.id`. */
  readonly parameterErrors: ReadonlyMap<string, string>;
  readonly missing: Missing;
  /** Scopes that the call needs, if they are what is missing. */
  readonly scopes: readonly string[];
  readonly needsCredential: boolean;
  readonly retryAfterMs?: number | undefined;
}

export type Outcome = Succeeded | Failure;

/** What is particular about a failure. */
export type Why = Partial<Omit<Failure, keyof Ended | "ok">> & Pick<Failure, "kind" | "message">;

const NOTHING: Omit<Failure, keyof Ended | "ok" | "kind" | "message"> = {
  parameterErrors: new Map(),
  missing: { secrets: [], authorizations: [], userId: false },
  scopes: [],
  needsCredential: false,
};

/** Ends a call when thrown, for a reason that is not a fault of this page: `why` says it. */
export class NotDone extends Error {
  override readonly name = "NotDone";
  readonly why: Why;
  readonly replayed: boolean;

  constructor(why: Why, replayed = false) {
    super(why.message);
    this.why = why;
    this.replayed = replayed;
  }
}

/** The reason of the signal if the person has cancelled. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export function failed(why: Why, ended: Ended): Failure {
  return { ...NOTHING, ...why, ok: false, ...ended };
}
