/** Reads the W3C trace context of a request, for the log and the requests of tools. */
import type { Trace } from "../core/model/definition.ts";

/** Baggage may have 8,192 bytes (W3C Baggage, section 3.3.2); the other headers are far shorter. */
const MAX_TRACE = 8_192;

const TRACE_HEADERS = ["traceparent", "tracestate", "baggage"] as const;

/**
 * Reads the trace context of a call from its headers (W3C Trace Context, section 3).
 *
 * @param first values that take precedence, for a protocol that has the same fields in its messages
 * @returns undefined if there is none
 */
export function readTrace(headers: Headers, first: Readonly<Record<string, unknown>> = {}): Trace | undefined {
  let trace: { -readonly [Name in keyof Trace]: Trace[Name] } | undefined;
  for (const name of TRACE_HEADERS) {
    // Trace Context, section 3.3: a tracestate without a traceparent is to be ignored.
    if (name === "tracestate" && trace === undefined) continue;
    const value = typeof first[name] === "string" ? first[name] : headers.get(name);
    // Drop values that a header cannot carry, because a tool's own requests would fail on them.
    if (value === null || value.length > MAX_TRACE || !/^[\t\x20-\x7e]*$/.test(value)) continue;
    trace ??= {};
    trace[name] = value;
  }
  return trace;
}
