/** Reads the fault of a `ToolError`. Checks every field, because no type restricts what a tool throws. */
import { isRecord } from "../lib/json.ts";
import type { Scrub } from "../lib/scrub.ts";
import type { Fault } from "../model/outcome.ts";

const NAMELESS = "The tool failed.";

/**
 * The fault of a `ToolError`, with secrets removed; undefined for anything else. Recognizes the error by its shape,
 * because a bundle may contain the class twice. Never throws.
 */
export function readFault(thrown: unknown, scrub: Scrub): Fault | undefined {
  try {
    if (!(thrown instanceof Error) || thrown.name !== "ToolError" || !("fault" in thrown)) return undefined;
    return isRecord(thrown.fault) ? checked(thrown.fault, scrub) : undefined;
  } catch {
    // A getter that throws: not a ToolError.
    return undefined;
  }
}

function checked(fault: Record<string, unknown>, scrub: Scrub): Fault {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? scrub(value) : undefined);
  const { message, developerMessage, canRetry, retryAfterMs, additionalPromptContent } = fault;
  return {
    message: text(message) ?? NAMELESS,
    developerMessage: text(developerMessage),
    canRetry: canRetry === true,
    retryAfterMs: wholeMs(retryAfterMs),
    additionalPromptContent: text(additionalPromptContent),
  };
}

/** Rounds up, so that callers do not retry too early. Undefined if the value is not a valid duration. */
function wholeMs(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}
