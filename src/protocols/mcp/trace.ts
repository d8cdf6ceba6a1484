/** W3C trace context of a call: from `_meta` (2026-07-28, basic/index, `_meta`), else from the request's headers. */
import type { Trace } from "../../core/definition.ts";
import { isRecord } from "../../core/json.ts";
import { isHeaderValue } from "./headers.ts";

const NAMES = ["traceparent", "tracestate", "baggage"] as const;

export function readTrace(headers: Headers, params: unknown): Trace | undefined {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  const trace: { -readonly [Name in keyof Trace]: Trace[Name] } = {};
  let found = false;
  for (const name of NAMES) {
    const value = typeof meta[name] === "string" ? (meta[name] as string) : headers.get(name);
    // What no header can carry goes nowhere: it must not fail what a tool fetches.
    if (value === null || !isHeaderValue(value)) continue;
    trace[name] = value;
    found = true;
  }
  return found ? trace : undefined;
}
