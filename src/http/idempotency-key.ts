/** Reads the `Idempotency-Key` header, and validates idempotency keys. */

/**
 * Reads the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header).
 *
 * @returns undefined if there is no header; "" if it is empty or unreadable. {@link checkedKey} rejects "", because a
 *          client that sends a key relies on its call running only once
 */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const raw = headers.get("idempotency-key");
  if (raw === null) return undefined;
  // The runtime decodes headers as UTF-8 and replaces invalid bytes with U+FFFD, so different keys could become one.
  if (raw.includes("\ufffd")) return "";
  // The draft requires a quoted string; most clients send it without quotes.
  return raw.replace(/^"(.*)"$/, "$1");
}

/** Returns the key if it is valid (1 to 255 characters of well-formed Unicode), else undefined. */
export function checkedKey(key: unknown): string | undefined {
  if (typeof key !== "string" || key === "" || !key.isWellFormed()) return undefined;
  return key.length <= 255 || [...key].length <= 255 ? key : undefined;
}
