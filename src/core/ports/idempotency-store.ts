/** The idempotency store: a keyed call claims its key before it runs and settles its result. Interface and hashing. */

import { canonical } from "../lib/json.ts";
import type { Granted } from "../model/call.ts";
import { fromBase64Url, type Signer } from "./signed-handles.ts";

/** What a store keeps of a call. Only the core can open it (idempotency/sealed-record.ts). */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** ASCII. */
  readonly sealed: string;
}

/** The call has run already. */
export type Known = { readonly state: "known"; readonly record: IdempotencyRecord };
/** The call is running elsewhere. */
export type Running = { readonly state: "running"; readonly retryAfterMs: number };

/** The result of a claim. Only a caller that got `claimed` may run the tool, and it must settle or release. */
export type Claim =
  | {
      readonly state: "claimed";
      /**
       * Keeps the result. Resolves with `kept`, or if this runner lost its lease, with the state of the runner that
       * took the key over. Never rejects: if the result cannot be kept, that is logged.
       *
       * @param ranOnly makes a small record that only says that the call ran, used if no store accepts `record`
       */
      settle(record: IdempotencyRecord, ranOnly: () => Promise<IdempotencyRecord>): Promise<"kept" | Known | Running>;
      /**
       * Extends the lease while the run waits for its caller: from now on, it lasts `ms` milliseconds longer than a run
       * may take. Resolves with whether the key still belongs to this runner. Never rejects.
       */
      extendLease(ms: number): Promise<boolean>;
      /** Frees the key, so that the next call with it runs. Never rejects. */
      release(): Promise<void>;
    }
  | Running
  | Known
  | { readonly state: "conflict" };

export interface ClaimRequest {
  readonly principal: string;
  /** HMAC of the call's identity ({@link storeKeyOf}). */
  readonly key: string;
  /** HMAC of the call's input ({@link fingerprint}). */
  readonly fingerprint: string;
  /** Whether running twice would do harm, so that the claim must be atomic. */
  readonly once: boolean;
  /** Milliseconds that a run may take, and that a duplicate waits for its result. */
  readonly limitMs: number;
}

export interface IdempotencyStore {
  /** @throws if the store is unavailable; the tool has not run then */
  claim(request: ClaimRequest): Promise<Claim>;
  /**
   * Returns what {@link claim} would find, but claims nothing. Returns undefined if the key is free.
   *
   * @throws if the store cannot tell
   */
  look(request: ClaimRequest): Promise<Exclude<Claim, { state: "claimed" }> | undefined>;
}

/**
 * Identifies a call: a client's key counts for one principal, user and tool only. The version is not included, so that
 * a call without a version stays the same call after a deployment.
 */
export type CallIdentity = readonly [principal: string, userId: string | undefined, toolId: string, clientKey: string];

/**
 * HMAC of a call's identity, as its key in the store. Uses the deployment's signing key, so that somebody who can read
 * the store cannot test guesses of who called what.
 *
 * @throws if the signing key is unavailable
 */
export function storeKeyOf(signer: Signer, identity: CallIdentity): Promise<string> {
  return hmac(signer, ["idempotency key", ...identity]);
}

/**
 * HMAC of a call's input, regardless of the order of members, its attachments, and the secrets and tokens that the
 * caller supplied, which may be all that tells users apart. Includes the call's identity, so that nobody can see that
 * two callers sent the same input.
 *
 * @throws if the signing key is unavailable
 */
export function fingerprint(
  signer: Signer,
  identity: CallIdentity,
  input: unknown,
  attachments: unknown,
  fromCaller: Granted["fromCaller"],
): Promise<string> {
  return hmac(signer, ["idempotency fingerprint", identity, input, attachments, fromCaller]);
}

/** HMAC-SHA-256, in hex. */
async function hmac(signer: Signer, parts: readonly unknown[]): Promise<string> {
  const signature = fromBase64Url(await signer.sign(canonical(parts))) as Uint8Array;
  return signature.toHex();
}

/** Parses a stored record. Returns undefined if there is none, or it is malformed. */
export function readRecord(text: string | null): IdempotencyRecord | undefined {
  try {
    const record = JSON.parse(text ?? "null") as Partial<IdempotencyRecord> | null;
    const isWhole = typeof record?.fingerprint === "string" && typeof record.sealed === "string";
    return isWhole ? (record as IdempotencyRecord) : undefined;
  } catch {
    return undefined;
  }
}
