/** Why an attempt failed, as one of a few fixed words. What a receiver itself says is never passed on. */
import type { DeliveryProblem } from "../../../core/ports/outbox.ts";

/** Statuses with which Cloudflare says that it could not reach the origin (Cloudflare 5xx errors). */
const UNREACHED: Readonly<Record<number, DeliveryProblem>> = {
  521: "connection_refused",
  522: "timeout",
  523: "connection_refused",
  524: "timeout",
  525: "tls_error",
  526: "tls_error",
};

/** @param status of a response that does not acknowledge the delivery */
export function problemOfStatus(status: number): DeliveryProblem {
  if (status >= 300 && status < 400) return "redirect";
  return UNREACHED[status] ?? (status >= 500 ? "http_5xx" : "http_4xx");
}

/** What a person has to do about a redirect. */
export const NOT_FOLLOWED = "redirects are not followed: give the URL that it leads to";

/**
 * Why a challenge has failed. "A reachable endpoint that fails to echo yields […] `challenge_failed`" (Endpoint
 * verification), whatever its status.
 *
 * @param problem undefined if the receiver took the challenge, and did not send it back
 * @param limitMs how long it had to answer
 * @returns what the receiver did, for a person. Its status is named by its first digit only, and nothing that it said:
 *          "to avoid serving as a response oracle for attacker-chosen URLs" (Webhook Delivery Status)
 */
export function failedChallenge(
  problem: DeliveryProblem | undefined,
  limitMs: number,
): { readonly problem: DeliveryProblem; readonly message: string } {
  switch (problem) {
    case "timeout":
      return { problem, message: `The receiver did not answer within ${limitMs / 1_000} seconds` };
    case "connection_refused":
      return { problem, message: "The receiver could not be reached: is the host right, and is it running?" };
    case "tls_error":
      return { problem, message: "The receiver could not be reached over TLS: is its certificate valid?" };
    case "redirect":
      return { problem: "challenge_failed", message: `The receiver answered with a redirect, and ${NOT_FOLLOWED}` };
    case "http_4xx":
      return {
        problem: "challenge_failed",
        message: "The receiver refused the challenge, with a status 4xx: is the path right, and is it the same secret?",
      };
    case "http_5xx":
      return { problem: "challenge_failed", message: "The receiver failed, with a status 5xx: see its log" };
    case "challenge_failed":
    case undefined:
      return {
        problem: "challenge_failed",
        message: 'The receiver answered, and did not send {"challenge": "…"} back with the challenge that it got',
      };
  }
}

/** @param error what `fetch` rejected with */
export function problemOfError(error: unknown): DeliveryProblem {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === "TimeoutError" || name === "AbortError" || /timed? ?out/i.test(message)) return "timeout";
  return /\b(tls|ssl|certificate|handshake)\b/i.test(message) ? "tls_error" : "connection_refused";
}
