/**
 * Signed handles: opaque ids that a client carries and any isolate can check without a read. Bound to a principal and
 * a purpose, so that a handle is of no use to anyone else and for nothing else.
 */

/** Signs, checks and derives; where its key comes from is the store's business. */
export interface Signer {
  /** Base64url HMAC-SHA-256 of `text`. */
  sign(text: string): Promise<string>;
  /** Compares in constant time. */
  verify(text: string, signature: string): Promise<boolean>;
  /**
   * Derives an AES-GCM key from the signing key: one per `info`, always the same (HKDF, RFC 5869); does not reveal the
   * signing key.
   */
  deriveKey(info: string): Promise<CryptoKey>;
}

/**
 * @param key raw key of at least 32 bytes; asked for until it has come once. Nobody waits for what another request
 *            asked: a request whose caller has gone is let go with all that it waits for, and its answer would never come
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
      return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", signs, bytes(text))));
    },
    async verify(text, signature) {
      const given = fromBase64Url(signature);
      return given !== undefined && crypto.subtle.verify("HMAC", (await load()).signs, given, bytes(text));
    },
    async deriveKey(info) {
      const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: bytes(info) };
      const { derives } = await load();
      return crypto.subtle.deriveKey(how, derives, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    },
  };
}

/** 128 bits: nobody guesses it. */
export function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}

/**
 * @param note short text that the handle carries in the clear, without dots: a protocol's revision
 * @param id   of an earlier handle to go on with; random if left out
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

/** @returns id and note of a handle that was minted for this purpose and principal; undefined for any other text */
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

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

export function toBase64Url(raw: Uint8Array): string {
  return raw.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** @returns undefined for what is no base64url */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}
