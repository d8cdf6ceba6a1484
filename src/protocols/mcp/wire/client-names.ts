/** Reads what a client calls itself: `clientInfo` of a handshake or a 2026-07-28 request (schema, Implementation). */
import { isRecord } from "../../../core/lib/json.ts";
import type { ClientIdentity } from "../../../core/model/elicitation.ts";

/** Most characters of each name: session ids and the log contain them. */
const MAX = 64;

/** @param info as sent, unchecked */
export function clientNames(info: unknown): ClientIdentity {
  const { name, version, title } = isRecord(info) ? info : {};
  return { name: shown(name), version: shown(version), title: shown(title) };
}

/** Removes invisible characters such as line breaks, because the names go to logs and terminals. */
function shown(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  return (
    text
      .slice(0, MAX)
      .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
      .trim() || undefined
  );
}
