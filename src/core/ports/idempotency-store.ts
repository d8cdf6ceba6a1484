/** Idempotency: a keyed call claims its key before it runs and settles its result under it. Interface and hashing. */

import { canonical } from "../lib/json.ts";
import type { Granted } from "../model/granted.ts";
import { fromBase64Url, type Signer } from "./signed-handles.ts";

/** What a store holds of a call: only the core can open it (idempotency/sealed-record.ts). */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** ASCII. */
  readonly sealed: string;
}

export type Known = { readonly state: "known"; readonly record: IdempotencyRecord };
export type Running = { readonly state: "running"; readonly retryAfterMs: number };

/** What a claim finds. Only the holder of a `claimed` may run the tool; it must settle or release. */
export type Claim =
  | {
      readonly state: "claimed";
      /**
       * Keeps the result. Resolves with `kept`, or with what another runner made of the key whose lease this one lost.
       * Never rejects: where the result cannot be kept, that is logged.
       *
       * @param ranOnly makes a small record, saying only that the call ran, for when no store can take `record`
       */
      settle(record: IdempotencyRecord, ranOnly: () => Promise<IdempotencyRecord>): Promise<"kept" | Known | Running>;
      /**
       * Keeps the key for `ms` milliseconds more than a run may take, from now on: the run waits for its caller.
       * Resolves with whether the key is still this runner's. Never rejects.
       */
      extendLease(ms: number): Promise<boolean>;
      /** Gives the key back: the next call with it runs. Never rejects. */
      release(): Promise<void>;
    }
  | Running
  | Known
  | { readonly state: "conflict" };

export interface ClaimRequest {
  readonly principal: string;
  /** HMAC of what names the call ({@link storeKeyOf}). */
  readonly key: string;
  /** HMAC of what the call is about ({@link fingerprint}). */
  readonly fingerprint: string;
  /** Whether two runs would do harm: then only an atomic claim will do. */
  readonly once: boolean;
  /** Milliseconds that a run may take, and that a duplicate waits for it. */
  readonly limitMs: number;
}

export interface IdempotencyStore {
  /** @throws where the key can neither be claimed nor found: nothing has run */
  claim(request: ClaimRequest): Promise<Claim>;
  /**
   * What {@link claim} would find, without claiming: undefined for a key that is free.
   *
   * @throws where nobody can say
   */
  look(request: ClaimRequest): Promise<Exclude<Claim, { state: "claimed" }> | undefined>;
}

/**
 * What names a call: the same client key names another for another principal, user or tool. The version is not part of
 * it: a call that names none stays the same call after a deployment.
 */
export type CallIdentity = readonly [principal: string, userId: string | undefined, toolId: string, clientKey: string];

/**
 * Under the deployment's signing key: whoever reads a store cannot check a guess of who called what.
 *
 * @throws where the signing key cannot be had
 */
export function storeKeyOf(signer: Signer, identity: CallIdentity): Promise<string> {
  return hmac(signer, ["idempotency key", ...identity]);
}

/**
 * Hash of what the call is about. Member order does not matter; attachments count, and so do the caller's own secrets
 * and tokens, which may be all that distinguishes users. Made as {@link storeKeyOf} is, with the call's identity: nobody
 * sees that two callers sent the same.
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

/** A record that was read back; undefined for what is none. */
export function readRecord(text: string | null): IdempotencyRecord | undefined {
  try {
    const record = JSON.parse(text ?? "null") as Partial<IdempotencyRecord> | null;
    const isWhole = typeof record?.fingerprint === "string" && typeof record.sealed === "string";
    return isWhole ? (record as IdempotencyRecord) : undefined;
  } catch {
    return undefined;
  }
}
