/** JSON responses, and responses without a body. */

export const JSON_HEADERS = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Made once: what nearly every answer says beside its body is copied from it, and not converted again for each. */
export const PLAIN = new Response(null, { headers: JSON_HEADERS });

/** An answer that says all it has to say by its status. */
export function empty(status: 202 | 204): Response {
  return new Response(null, { status, headers: { "x-content-type-options": "nosniff" } });
}

/** An answer whose body is JSON text already. */
export function jsonText(text: string, status = 200, headers?: Record<string, string>): Response {
  if (headers === undefined && status === 200) return new Response(text, PLAIN);
  return new Response(text, { status, headers: { ...JSON_HEADERS, ...headers } });
}

export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  return jsonText(JSON.stringify(value), status, headers);
}

/** A header that asks to wait (RFC 9110, section 10.2.3): whole seconds. */
export function retryAfter(ms: number): Record<string, string> {
  return { "retry-after": String(Math.ceil(ms / 1_000)) };
}
