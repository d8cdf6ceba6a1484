/** Converts between bytes and text. */

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

/** An id of 128 random bits in base64url. */
export function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}
