/** Makes JSON responses, and responses without a body. */
import type { CallResult } from "../core/model/call-result.ts";
import type { RequestContext } from "./request-context.ts";

/** Headers of every JSON response. */
export const JSON_HEADERS = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Init of a 200 response with JSON. Copying its headers is cheaper than converting the record for each response. */
export const JSON_RESPONSE = new Response(null, { headers: JSON_HEADERS });

export function empty(status: 202 | 204): Response {
  return new Response(null, { status, headers: { "x-content-type-options": "nosniff" } });
}

/** @param text JSON text */
export function jsonText(text: string, status = 200, headers?: Record<string, string>): Response {
  if (headers === undefined && status === 200) return new Response(text, JSON_RESPONSE);
  return new Response(text, { status, headers: { ...JSON_HEADERS, ...headers } });
}

/** @param value anything that JSON.stringify takes, except undefined */
export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  return jsonText(JSON.stringify(value), status, headers);
}

/** A response with only a message that says what is wrong. */
export function problem(status: number, message: string, headers?: Record<string, string>): Response {
  return json({ message }, status, headers);
}

/** The `Retry-After` header (RFC 9110, section 10.2.3), rounded up to whole seconds. */
export function retryAfter(ms: number): Record<string, string> {
  return { "retry-after": String(Math.ceil(ms / 1_000)) };
}

/** About 250,000 tokens. Hosts cut results far sooner: Claude Code at 25,000 tokens. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Logs a result that is too large for a model: a host cuts such a result, or does not pass it on.
 *
 * @param text the result as it is sent. Replays of a result are not logged again
 */
export function logIfLarge(text: string, { entry, replayed }: CallResult, { runtime }: RequestContext): void {
  if (text.length <= MAX_CHARACTERS || replayed) return;
  const tool = entry && `${entry.id}@${entry.version}`;
  runtime.log({ level: "warning", message: "result too large for a model", tool, characters: text.length });
}
