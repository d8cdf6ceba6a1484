/**
 * The record of a keyed call, encrypted: stores see that a key was used, not what came of it. The encryption key is
 * derived from the deployment's signing key and everything that names the call, including the client's key, which is
 * not stored: neither the stores nor the signing key alone opens a record.
 */
import { canonical } from "../lib/json.ts";
import type { Begins } from "../model/call.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Principal } from "../model/principal.ts";
import type { CallIdentity, IdempotencyRecord } from "../ports/idempotency-store.ts";
import { fromBase64Url, type Signer, toBase64Url } from "../ports/signed-handles.ts";

export interface Kept {
  /** The version that ran. */
  readonly version: string;
  readonly durationMs: number;
  /** What its caller had of the scopes that anything here demands: its result is for nobody with less. */
  readonly scopes?: Principal["scopes"] | undefined;
  /** Absent where the result is not kept: then it says only that the call ran. */
  readonly outcome?: Outcome | undefined;
  readonly session?: KeptSession | undefined;
}

/** The session that the call was of. */
export interface KeptSession {
  readonly id: string;
  readonly begun: Begins;
  /** Who began it: of those who share the principal, and on which path. Absent for a caller without a name. */
  readonly by?: string | undefined;
  /** Whether the tool looked at it: what it returned is for no other session then. */
  readonly seen: boolean;
}

const IV_BYTES = 12;
/** Encryption makes several copies and an isolate has 128 MB; in base64 this is still below KV's 25 MiB. */
const MAX_BYTES = 10_000_000;

/** @throws where the deployment's key cannot be had */
export function recordKey(signer: Signer, identity: CallIdentity): Promise<CryptoKey> {
  return signer.deriveKey(canonical(["idempotency record", ...identity]));
}

/**
 * AES-GCM (NIST SP 800-38D), with the fingerprint as associated data.
 *
 * @returns undefined for what is too large to be kept
 */
export async function sealRecord(
  key: CryptoKey,
  fingerprint: string,
  kept: Kept,
): Promise<IdempotencyRecord | undefined> {
  const text = JSON.stringify(kept);
  // There are no fewer bytes than characters: a text that is far too long is not copied to count them.
  const plain = text.length > MAX_BYTES ? undefined : utf8(text);
  if (plain === undefined || plain.length > MAX_BYTES) return undefined;
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = new Uint8Array(await crypto.subtle.encrypt(bound(iv, fingerprint), key, plain));
  const whole = new Uint8Array(IV_BYTES + sealed.length);
  whole.set(iv);
  whole.set(sealed, IV_BYTES);
  return { fingerprint, sealed: toBase64Url(whole) };
}

/** @returns undefined if it is damaged or was sealed under another signing key */
export async function openRecord(
  key: CryptoKey,
  { fingerprint, sealed }: IdempotencyRecord,
): Promise<Kept | undefined> {
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

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}
