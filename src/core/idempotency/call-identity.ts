/** Makes the hashes that tell keyed calls apart in the stores. They need the deployment's signing key. */
import { fromBase64Url } from "../crypto/encoding.ts";
import type { Signer } from "../crypto/signer.ts";
import { canonical } from "../lib/json.ts";
import type { Granted } from "../model/call.ts";

/**
 * Identifies a call: a client's key is valid for one principal, user and tool only. The tool's version is not included,
 * so that a call without a version stays the same call after a deployment.
 */
export type CallIdentity = readonly [principal: string, userId: string | undefined, toolId: string, clientKey: string];

/**
 * HMAC of a call's identity, used as its key in the store. Uses the deployment's signing key, so that somebody who can
 * read the store cannot test guesses of who called what.
 *
 * @throws if the signing key is unavailable
 */
export function storeKeyOf(signer: Signer, identity: CallIdentity): Promise<string> {
  return hmac(signer, ["idempotency key", ...identity]);
}

/**
 * HMAC of a call's input (regardless of the order of members), its attachments, and the secrets and tokens that the
 * caller supplied: these may be the only difference between users. Includes the call's identity, so that nobody can see
 * that two callers sent the same input.
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
