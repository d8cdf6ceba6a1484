/** Signs deliveries: as Standard Webhooks say (standardwebhooks.com), and as BeeOS does (`X-BeeOS-Signature`). */
import { utf8 } from "../../core/crypto/encoding.ts";

/** A key of HMAC-SHA-256. */
type Key = Uint8Array<ArrayBuffer>;

export interface Signed {
  /** Id of the event, or of the message. */
  readonly id: string;
  /** Unix time of this attempt, in seconds. */
  readonly at: number;
  readonly body: string;
}

export const SECRET_PREFIX = "whsec_";
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

/** @returns the key of a secret `whsec_…`; undefined unless that is base64 of 24 to 64 bytes */
export function keyOfSecret(secret: string): Key | undefined {
  if (!secret.startsWith(SECRET_PREFIX)) return undefined;
  try {
    const key = Uint8Array.fromBase64(secret.slice(SECRET_PREFIX.length)) as Key;
    return key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @returns in words, what is wrong with a secret that begins like one of Standard Webhooks and is not valid;
 *          undefined if nothing is wrong, or it is any other text
 */
export function wrongSecret(secret: string): string | undefined {
  // Some services show a secret with the version of its signature in front. Signed as text, no library accepts it.
  const [, before] = /^\s*(v1a?\s*,)\s*whsec_/.exec(secret) ?? [];
  if (before !== undefined) return `Leave out "${before}": the secret begins with "${SECRET_PREFIX}"`;
  if (!secret.startsWith(SECRET_PREFIX) || keyOfSecret(secret) !== undefined) return undefined;
  return `After "${SECRET_PREFIX}", it must be base64 of ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes`;
}

/**
 * @returns the key of a secret that may be any text: what it encodes if it begins with `whsec_`, else its UTF-8 bytes
 */
export function keyOfText(secret: string): Key {
  return keyOfSecret(secret) ?? utf8(secret);
}

/**
 * The headers of Standard Webhooks.
 *
 * @param keys several while a secret is replaced; none if the receiver has none
 */
export async function standardHeaders({ id, at, body }: Signed, keys: readonly Key[]): Promise<Record<string, string>> {
  const text = `${id}.${at}.${body}`;
  const signatures = await Promise.all(keys.map(async (key) => `v1,${(await hmac(key, text)).toBase64()}`));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}

/** The headers of BeeOS's callbacks (docs/webhooks.md). There, the key is always the secret's text. */
export async function beeosHeaders(
  { id, at, body }: Signed,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const text = `${at}.${body}`;
  const signatures = await Promise.all(secrets.map(async (secret) => `v1=${(await hmac(utf8(secret), text)).toHex()}`));
  return {
    "x-beeos-event-id": id,
    ...(signatures.length > 0 && { "x-beeos-signature": [`t=${at}`, ...signatures].join(",") }),
  };
}

async function hmac(key: Key, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, utf8(text)));
}
