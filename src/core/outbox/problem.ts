/** Why an attempt failed, as one of a few fixed words. What a receiver itself says is never passed on. */
import type { DeliveryProblem } from "../ports/outbox.ts";

/** Statuses with which Cloudflare says that it could not reach the origin (Cloudflare 5xx errors). */
const UNREACHED: Readonly<Record<number, DeliveryProblem>> = {
  521: "connection_refused",
  522: "timeout",
  523: "connection_refused",
  524: "timeout",
  525: "tls_error",
  526: "tls_error",
};

/**
 * @param status of a response that does not acknowledge the delivery. A redirect counts as `http_4xx`: it is not
 *               followed, and the URL has to be corrected
 */
export function problemOfStatus(status: number): DeliveryProblem {
  return UNREACHED[status] ?? (status >= 500 ? "http_5xx" : "http_4xx");
}

/** @param error what `fetch` rejected with */
export function problemOfError(error: unknown): DeliveryProblem {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === "TimeoutError" || name === "AbortError" || /timed? ?out/i.test(message)) return "timeout";
  return /\b(tls|ssl|certificate|handshake)\b/i.test(message) ? "tls_error" : "connection_refused";
}
