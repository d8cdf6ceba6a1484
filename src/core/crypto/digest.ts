/** Hashing. */

/** SHA-256 of a text in UTF-8, as 64 hex digits. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}
