/** Idempotency: a keyed call claims its key before it runs and settles its result under it. Interface and hashing. */
import type { Principal } from "./definition.ts";
import { sha256 } from "./digest.ts";
import { canonical } from "./json.ts";
import type { Outcome } from "./outcome.ts";
import { ANONYMOUS } from "./principal.ts";
import type { Met } from "./requirements.ts";

/** What is kept under a key: enough to answer a duplicate byte for byte. */
export interface LedgerRecord {
  readonly fingerprint: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** The session whose values the call saw: what it returned is for no other. */
  readonly sessionId?: string | undefined;
  /** See {@link confidenceOf}. */
  readonly confidence?: string | undefined;
}

export type Known = { readonly state: "known"; readonly record: LedgerRecord };
export type Running = { readonly state: "running"; readonly retryAfterMs: number };

/** What a claim finds. Only the holder of a `claimed` may run the tool; it must settle or release. */
export type Claim =
  | {
      readonly state: "claimed";
      /**
       * Keeps the result. Resolves with `kept`, or with what another runner made of the key whose lease this one lost.
       * Never rejects: where the result cannot be kept, that is logged.
       */
      settle(record: LedgerRecord): Promise<"kept" | Known | Running>;
      /**
       * Keeps the key for so many milliseconds more than a run may take, from now on: the run waits for its caller.
       * Resolves with whether the key is still this runner's. Never rejects.
       */
      extend(ms: number): Promise<boolean>;
      /** Gives the key back: the next call with it runs. Never rejects. */
      release(): Promise<void>;
    }
  | Running
  | Known
  | { readonly state: "conflict" };

export interface ClaimRequest {
  readonly principal: string;
  /** Hash of principal, resolved tool id and the client's key ({@link ledgerKey}). */
  readonly key: string;
  /** Hash of the input ({@link fingerprint}). */
  readonly fingerprint: string;
  /** Whether two runs would do harm: then only an atomic claim will do. */
  readonly once: boolean;
  /** Milliseconds that a run may take, and that a duplicate waits for it. */
  readonly limitMs: number;
}

export interface Ledger {
  /** @throws where the key can neither be claimed nor found: nothing has run */
  claim(request: ClaimRequest): Promise<Claim>;
}

/** The same client key means another call for another principal or user, tool or version. */
export function ledgerKey(
  principal: string,
  userId: string | undefined,
  toolId: string,
  clientKey: string,
): Promise<string> {
  return sha256(canonical([principal, userId, toolId, clientKey]));
}

/** "The same call" ignores the order of members, and credentials are no part of it; attached files are. */
export function fingerprint(input: unknown, attachments: unknown): Promise<string> {
  return sha256(canonical([input, attachments]));
}

/** A record that was read back; undefined for what is none. */
export function readRecord(text: string | null): LedgerRecord | undefined {
  try {
    const record = JSON.parse(text ?? "null") as Partial<LedgerRecord> | null;
    const isWhole = typeof record?.fingerprint === "string" && typeof record.outcome?.kind === "string";
    return isWhole ? (record as LedgerRecord) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What a result was made with that its caller handed over, hashed, where nobody knows who the caller is: of two
 * strangers at one address, one must not get what the other's secret opened. Credentials of a principal may change.
 */
export function confidenceOf({ id }: Principal, { secrets, authorization }: Met): Promise<string> | undefined {
  const isNothing = Object.keys(secrets).length === 0 && Object.keys(authorization).length === 0;
  return id !== ANONYMOUS || isNothing ? undefined : sha256(canonical([secrets, authorization]));
}
