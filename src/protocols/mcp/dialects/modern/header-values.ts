/** Values in MCP's request headers (2026-07-28, basic/transports/streamable-http, Value Encoding). */

/** Visible ASCII, blank and tab (RFC 9110, section 5.5). */
const VALUE = /^[\t\x20-\x7e]*$/;
const SENTINEL = /^=\?base64\?(.*)\?=$/;

/** Whether a header can carry this text as it stands. */
export function isHeaderValue(text: string): boolean {
  return VALUE.test(text);
}

/** @returns undefined where the value has invalid characters, or says that it is Base64 and is not, or is no UTF-8 */
export function decodeHeaderValue(raw: string): string | undefined {
  if (!isHeaderValue(raw)) return undefined;
  const encoded = SENTINEL.exec(raw)?.[1];
  if (encoded === undefined) return raw;
  // The decoder skips blanks, which are no letters of Base64.
  if (/\s/.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
