/**
 * The encrypted record of a keyed call: stores see that a key was used, but not the result. The encryption key is
 * derived from the deployment's signing key and everything that identifies the call, including the client's key. The
 * client's key is not stored, so neither the stores nor the signing key alone can open a record.
 */

import { seal, unseal } from "../crypto/seal.ts";
import type { Signer } from "../crypto/signer.ts";
import { canonical } from "../lib/json.ts";
import type { CallResult, TaskSession } from "../model/call-result.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Principal } from "../model/principal.ts";
import type { IdempotencyRecord } from "../ports/idempotency-store.ts";
import type { CallIdentity } from "./call-identity.ts";

export interface RecordedCall {
  /** The tool's version that ran. */
  readonly version: string;
  /** See {@link CallResult.run}. */
  readonly run?: string | undefined;
  readonly durationMs: number;
  /** The caller's scopes that the deployment uses. Callers with fewer scopes must not get the result. */
  readonly scopes?: Principal["scopes"] | undefined;
  /** Absent if the result is not stored: then the record says only that the call ran. */
  readonly outcome?: Outcome | undefined;
  readonly session?: TaskSession | undefined;
}

/** Derives the encryption key of a call's record. Throws if the signing key is unavailable. */
export function recordKey(signer: Signer, identity: CallIdentity): Promise<CryptoKey> {
  return signer.deriveKey(canonical(["idempotency record", ...identity]));
}

/** @returns undefined if the record is too large to store */
export async function sealRecord<Value = RecordedCall>(
  key: CryptoKey,
  fingerprint: string,
  recorded: Value,
): Promise<IdempotencyRecord | undefined> {
  const sealed = await seal(key, fingerprint, recorded);
  return sealed === undefined ? undefined : { fingerprint, sealed };
}

/** @returns undefined if the record is damaged or was sealed with another signing key */
export function openRecord<Value = RecordedCall>(
  key: CryptoKey,
  { fingerprint, sealed }: IdempotencyRecord,
): Promise<Value | undefined> {
  return unseal<Value>(key, fingerprint, sealed);
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
