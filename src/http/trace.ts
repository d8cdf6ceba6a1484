/** W3C trace context in headers. */
import type { Trace } from "../core/model/definition.ts";

/** Baggage may have 8,192 bytes (W3C Baggage, section 3.3.2), the others far less. */
const MAX_TRACE = 8_192;

const TRACE_HEADERS = ["traceparent", "tracestate", "baggage"] as const;

/**
 * W3C trace context of a call (Trace Context, section 3): what stands in its headers.
 *
 * @param first what goes before them: a protocol may carry the same in its messages
 */
export function readTrace(headers: Headers, first: Readonly<Record<string, unknown>> = {}): Trace | undefined {
  let trace: { -readonly [Name in keyof Trace]: Trace[Name] } | undefined;
  for (const name of TRACE_HEADERS) {
    // Trace Context, section 3.3: without a traceparent, a tracestate says nothing.
    if (name === "tracestate" && trace === undefined) continue;
    const value = typeof first[name] === "string" ? first[name] : headers.get(name);
    // What no header can carry goes nowhere: it must not fail what a tool fetches.
    if (value === null || value.length > MAX_TRACE || !/^[\t\x20-\x7e]*$/.test(value)) continue;
    trace ??= {};
    trace[name] = value;
  }
  return trace;
}
