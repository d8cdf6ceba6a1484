/** JSON responses, and responses without a body. */

/** Headers of every JSON response. */
export const JSON_HEADERS = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Init of a 200 response with JSON. Copying its headers is cheaper than converting the record for each response. */
export const JSON_RESPONSE = new Response(null, { headers: JSON_HEADERS });

/** A response without a body. */
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

/** A response that only says what is wrong. */
export function problem(status: number, message: string, headers?: Record<string, string>): Response {
  return json({ message }, status, headers);
}

/** The `Retry-After` header (RFC 9110, section 10.2.3), rounded up to whole seconds. */
export function retryAfter(ms: number): Record<string, string> {
  return { "retry-after": String(Math.ceil(ms / 1_000)) };
}
