/**
 * Signed handles: opaque ids that clients hold and any isolate can verify without reading from a store. Each is bound
 * to a principal and a purpose, and is invalid for any other.
 */

/** Signs, verifies and derives keys with the deployment's signing key. */
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
 * @param key returns the raw key of at least 32 bytes. Called by each request until one call has succeeded: requests
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

/** A random id of 128 bits in base64url. */
export function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}

/**
 * Creates a handle.
 *
 * @param note short text without dots that the handle carries unencrypted: a protocol's revision
 * @param id   the id of an earlier handle, to continue with it. Default: random
 */
export async function mintHandle(
  signer: Signer,
  purpose: string,
  principal: string,
  note: string,
  id: string = randomId(),
): Promise<string> {
  const body = `${id}.${note}`;
  return `${body}.${await signer.sign(bound(purpose, principal, body))}`;
}

/** Verifies a handle. Returns undefined unless it was created for this purpose and principal. */
export async function checkHandle(
  signer: Signer,
  purpose: string,
  principal: string,
  handle: string,
): Promise<{ id: string; note: string } | undefined> {
  const [id, note, signature, ...rest] = handle.split(".");
  if (!id || note === undefined || !signature || rest.length > 0) return undefined;
  return (await signer.verify(bound(purpose, principal, `${id}.${note}`), signature)) ? { id, note } : undefined;
}

function bound(purpose: string, principal: string, body: string): string {
  return JSON.stringify([purpose, principal, body]);
}

/** A text in UTF-8. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

/** Base64url (RFC 4648, section 5) without padding. */
export function toBase64Url(raw: Uint8Array): string {
  return raw.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Decodes base64url. Returns undefined if the text is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}
