/** What a client calls itself: `clientInfo` of a handshake, or of a request of 2026-07-28 (schema, Implementation). */
import { isRecord } from "../../../core/lib/json.ts";
import type { ClientIdentity } from "../../../core/model/elicitation.ts";

/** In characters: sessions carry the names in their ids, and the log has them. */
const MAX = 64;

/** @param info as sent, unchecked */
export function clientNames(info: unknown): ClientIdentity {
  const { name, version, title } = isRecord(info) ? info : {};
  return { name: shown(name), version: shown(version), title: shown(title) };
}

/** Without what cannot be seen, such as line breaks: the names go to logs and terminals. */
function shown(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  return (
    text
      .slice(0, MAX)
      .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
      .trim() || undefined
  );
}
