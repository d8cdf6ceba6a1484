/** Idempotency keys as HTTP carries them, and what counts as one. */

/**
 * The idempotency key that HTTP carries beside a call (draft-ietf-httpapi-idempotency-key-header); "", which
 * {@link checkedKey} refuses, for one that is empty or cannot be read: whoever sends one counts on running once.
 */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const raw = headers.get("idempotency-key");
  if (raw === null) return undefined;
  // The runtime reads headers as UTF-8, and puts U+FFFD for bytes that are none: keys that differ would be one.
  if (raw.includes("\ufffd")) return "";
  // The draft makes it a quoted string; most clients send it bare.
  return raw.replace(/^"(.*)"$/, "$1");
}

/** An idempotency key is 1 to 255 characters of well-formed Unicode; undefined says that it is none. */
export function checkedKey(key: unknown): string | undefined {
  if (typeof key !== "string" || key === "" || !key.isWellFormed()) return undefined;
  return key.length <= 255 || [...key].length <= 255 ? key : undefined;
}
