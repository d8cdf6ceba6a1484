/** Reads the fault that a tool threw on purpose. Types bind the author only as far as they reach: every field is checked. */
import { isRecord } from "../lib/json.ts";
import type { Scrub } from "../lib/scrub.ts";
import type { Fault } from "../model/outcome.ts";

const NAMELESS = "The tool failed.";

/** The fault of a `ToolError`, known by its shape, as bundles may hold the class twice; undefined for all else. Without secrets. */
export function readFault(thrown: unknown, scrub: Scrub): Fault | undefined {
  try {
    if (!(thrown instanceof Error) || thrown.name !== "ToolError" || !("fault" in thrown)) return undefined;
    return isRecord(thrown.fault) ? checked(thrown.fault, scrub) : undefined;
  } catch {
    // A getter that throws: no error of ours.
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

/** Rounded up, so that nobody comes back too early; no time at all where it is no time. */
function wholeMs(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}
