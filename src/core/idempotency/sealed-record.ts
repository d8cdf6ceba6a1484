/**
 * The encrypted record of a keyed call: stores see that a key was used, but not the result. The encryption key is
 * derived from the deployment's signing key and everything that identifies the call, including the client's key. The
 * client's key is not stored, so neither the stores nor the signing key alone can open a record.
 */

import { fromBase64Url, toBase64Url, utf8 } from "../crypto/encoding.ts";
import type { Signer } from "../crypto/signer.ts";
import { canonical } from "../lib/json.ts";
import type { TaskSession } from "../model/call-result.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Principal } from "../model/principal.ts";
import type { IdempotencyRecord } from "../ports/idempotency-store.ts";
import type { CallIdentity } from "./call-identity.ts";

/** The contents of a record. */
export interface RecordedCall {
  /** The version that ran. */
  readonly version: string;
  readonly durationMs: number;
  /** The caller's scopes, of those that the deployment uses. Callers with fewer scopes must not get the result. */
  readonly scopes?: Principal["scopes"] | undefined;
  /** Absent if the result is not kept: the record then only says that the call ran. */
  readonly outcome?: Outcome | undefined;
  readonly session?: TaskSession | undefined;
}

const IV_BYTES = 12;
/** Encryption makes several copies and an isolate has 128 MB; in base64 this is still below KV's 25 MiB. */
const MAX_BYTES = 10_000_000;

/** Derives the encryption key of a call's record. Throws if the signing key is unavailable. */
export function recordKey(signer: Signer, identity: CallIdentity): Promise<CryptoKey> {
  return signer.deriveKey(canonical(["idempotency record", ...identity]));
}

/**
 * Encrypts a record with AES-GCM (NIST SP 800-38D), with the fingerprint as associated data.
 *
 * @returns undefined if it is too large to be kept
 */
export async function sealRecord<Value = RecordedCall>(
  key: CryptoKey,
  fingerprint: string,
  recorded: Value,
): Promise<IdempotencyRecord | undefined> {
  const text = JSON.stringify(recorded);
  // A text has at least as many bytes as characters: do not encode one that is already too long.
  const plain = text.length > MAX_BYTES ? undefined : utf8(text);
  if (plain === undefined || plain.length > MAX_BYTES) return undefined;
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = new Uint8Array(await crypto.subtle.encrypt(bound(iv, fingerprint), key, plain));
  const whole = new Uint8Array(IV_BYTES + sealed.length);
  whole.set(iv);
  whole.set(sealed, IV_BYTES);
  return { fingerprint, sealed: toBase64Url(whole) };
}

/** Decrypts a record. Returns undefined if it is damaged or was sealed with another signing key. */
export async function openRecord<Value = RecordedCall>(
  key: CryptoKey,
  { fingerprint, sealed }: IdempotencyRecord,
): Promise<Value | undefined> {
  const whole = fromBase64Url(sealed);
  if (whole === undefined) return undefined;
  try {
    const how = bound(whole.subarray(0, IV_BYTES), fingerprint);
    return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt(how, key, whole.subarray(IV_BYTES))));
  } catch {
    return undefined;
  }
}

function bound(iv: Uint8Array<ArrayBuffer>, fingerprint: string) {
  return { name: "AES-GCM", iv, additionalData: utf8(fingerprint) };
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
