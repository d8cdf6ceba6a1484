/** Why a call did not succeed, whatever was thrown while it ran. */
import { isOxpError } from "../../client/oxp/errors.ts";
import { CallerChanged, failureOf, NeedsCredential, Refused, RpcFailure, Unreachable } from "./failures.ts";
import { whyOfRpc } from "./from-mcp.ts";
import { whyOfOxp } from "./from-oxp.ts";
import { Cancelled, NotDone, type Why } from "./outcome.ts";

export function whyOf(error: unknown): Why {
  if (error instanceof NotDone) return error.why;
  if (error instanceof Cancelled) return { kind: "cancelled", message: "You cancelled the call." };
  const failure = failureOf(error);
  if (failure instanceof CallerChanged) return { kind: "cancelled", message: failure.message };
  if (failure instanceof NeedsCredential) {
    const { message, scopes } = failure;
    return { kind: "refused", message, scopes, needsCredential: true };
  }
  if (failure instanceof Refused) {
    const { message, status, scopes, retryAfterMs } = failure;
    return status === 429 ? { kind: "busy", message, retryAfterMs } : { kind: "refused", message, scopes };
  }
  if (failure instanceof Unreachable) return { kind: failure.reason, message: failure.message };
  if (failure instanceof RpcFailure) return whyOfRpc(failure);
  if (isOxpError(failure)) return whyOfOxp(failure);
  // A mistake of this page: the message helps whoever reports it.
  return { kind: "broken", message: "Something went wrong in this page.", developerMessage: String(error) };
}
