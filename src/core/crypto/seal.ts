/** Encrypts what is stored: somebody who reads a store sees that a value is there, but not which. */

import { canonical } from "../lib/json.ts";
import { fromBase64Url, toBase64Url, utf8 } from "./encoding.ts";
import type { Signer } from "./signer.ts";

const IV_BYTES = 12;
/** Limited because encryption makes several copies and an isolate has 128 MB. In Base64 still below KV's 25 MiB. */
const MAX_BYTES = 10_000_000;

/**
 * Encrypts a value as JSON, with AES-GCM (NIST SP 800-38D).
 *
 * @param label names the value, so that it cannot be swapped for another: it can be opened only with the same label
 * @returns base64url; undefined if the value has over 10 MB
 */
export async function seal(key: CryptoKey, label: string, value: unknown): Promise<string | undefined> {
  const text = JSON.stringify(value);
  // A text has at least as many bytes as characters, so do not encode one that is already too long.
  const plain = text.length > MAX_BYTES ? undefined : utf8(text);
  if (plain === undefined || plain.length > MAX_BYTES) return undefined;
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = new Uint8Array(await crypto.subtle.encrypt(bound(iv, label), key, plain));
  const whole = new Uint8Array(IV_BYTES + sealed.length);
  whole.set(iv);
  whole.set(sealed, IV_BYTES);
  return toBase64Url(whole);
}

/** @returns undefined if the text is damaged, or was sealed with another key or label */
export async function unseal<Value>(key: CryptoKey, label: string, sealed: string): Promise<Value | undefined> {
  const whole = fromBase64Url(sealed);
  if (whole === undefined) return undefined;
  try {
    const how = bound(whole.subarray(0, IV_BYTES), label);
    return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt(how, key, whole.subarray(IV_BYTES))));
  } catch {
    return undefined;
  }
}

function bound(iv: Uint8Array<ArrayBuffer>, label: string) {
  return { name: "AES-GCM", iv, additionalData: utf8(label) };
}

/** Thrown for a value that is too large to store: over 10 MB as JSON. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

export interface Seal {
  /** @throws {TooLarge} */
  seal(label: string, value: unknown): Promise<string>;
  /** @returns undefined if the text is damaged, or was sealed with another key or label */
  open<Value>(label: string, sealed: string): Promise<{ readonly value: Value } | undefined>;
}

/**
 * @param purpose the key is derived from it and the deployment's signing key
 * @throws if the signing key is unavailable
 */
export async function sealFor(signer: Signer, purpose: readonly string[]): Promise<Seal> {
  const key = await signer.deriveKey(canonical(purpose));
  return {
    async seal(label, value) {
      const sealed = await seal(key, label, { value });
      if (sealed === undefined) throw new TooLarge(`The ${label} of this ${purpose[0]} is too large to be kept`);
      return sealed;
    },
    open: (label, sealed) => unseal(key, label, sealed),
  };
}
