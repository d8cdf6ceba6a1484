/** Signs with the deployment's signing key, from which all its other keys are derived. */
import { fromBase64Url, toBase64Url, utf8 } from "./encoding.ts";

export interface Signer {
  /** Base64url HMAC-SHA-256 of `text`. */
  sign(text: string): Promise<string>;
  /** Compares in constant time. */
  verify(text: string, signature: string): Promise<boolean>;
  /**
   * Derives an AES-GCM key from the signing key (HKDF, RFC 5869): always the same for one `info`. Does not reveal the
   * signing key.
   */
  deriveKey(info: string): Promise<CryptoKey>;
}

/**
 * Creates a signer that caches the imported key.
 *
 * @param key returns the raw key, at least 32 bytes. Called for each request until one call has succeeded: requests
 *            must not share a pending promise, because it never settles if the request that started it is cancelled
 */
export function hmacSigner(key: () => Promise<Uint8Array<ArrayBuffer>>): Signer {
  let imported: { readonly signs: CryptoKey; readonly derives: CryptoKey } | undefined;
  const load = async () => {
    if (imported) return imported;
    const raw = await key();
    const signs = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, [
      "sign",
      "verify",
    ]);
    const derives = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
    imported = { signs, derives };
    return imported;
  };
  return {
    async sign(text) {
      const { signs } = await load();
      return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", signs, utf8(text))));
    },
    async verify(text, signature) {
      const given = fromBase64Url(signature);
      return given !== undefined && crypto.subtle.verify("HMAC", (await load()).signs, given, utf8(text));
    },
    async deriveKey(info) {
      const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: utf8(info) };
      const { derives } = await load();
      return crypto.subtle.deriveKey(how, derives, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    },
  };
}
