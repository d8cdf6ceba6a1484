/** Turns an Outcome into the reply to an MCP `tools/call`. Knows MCP's words; knows nothing about tools. */
import type { Ending } from "../../core/execute.ts";
import { byPath, inOneLine } from "../../core/issues.ts";
import { isRecord, type Json } from "../../core/json.ts";
import { type Fault, missingInWords, type Refusal, retryHint } from "../../core/outcome.ts";
import { invalidIsResult, type Manner } from "./revisions.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Reply = { readonly result: Record<string, unknown> } | { readonly error: RpcError };

export const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Session not found: what the official servers send beside their 404. */
  unknownSession: -32001,
  /** Gateway seed, "Timeout". */
  timeout: -32003,
} as const;

export function error(code: number, message: string, data?: unknown): Reply {
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

export function renderCall(ending: Ending, manner: Manner): Reply {
  const { outcome } = ending;
  switch (outcome.kind) {
    case "completed":
      return { result: completed(outcome.value, ending) };
    case "failed":
      return { result: failed(outcome.fault) };
    case "timed_out":
      return error(CODE.timeout, `The tool took longer than ${outcome.limitMs} ms`);
    case "cancelled":
      return { result: failed({ message: "The call was cancelled", canRetry: true }) };
    case "invalid": {
      const text = `Invalid arguments: ${inOneLine(outcome.issues)}`;
      if (invalidIsResult(manner)) return { result: failed({ message: text }) };
      return error(CODE.invalidParams, text, { parameter_errors: byPath(outcome.issues, "arguments") });
    }
    case "refused":
      return refused(outcome.refusal, manner);
  }
}

function refused(refusal: Refusal, manner: Manner): Reply {
  switch (refusal.reason) {
    case "unknown_tool":
    case "unknown_version":
      // Gateway seed, "Error handling": tool not found is -32601 there, -32602 in every revision of MCP.
      return error(manner.kind === "bare" ? CODE.unknownMethod : CODE.invalidParams, `Unknown tool: ${refusal.name}`);
    case "requirements":
      return {
        result: failed({
          message: `${refusal.name} requires ${missingInWords(refusal.missing)}, which this server has not been given`,
        }),
      };
    case "running":
      return {
        result: failed({
          message: "A call with this idempotency key is still running",
          canRetry: true,
          retryAfterMs: refusal.retryAfterMs,
        }),
      };
    case "unavailable":
      return {
        result: failed({
          message: "The server is temporarily unavailable",
          canRetry: true,
          retryAfterMs: refusal.retryAfterMs,
        }),
      };
    case "conflict":
      return error(CODE.invalidParams, "This idempotency key was already used with other arguments; send a new key");
  }
}

/** The result as text for the model, and as structured content where the revision's `outputSchema` describes it. */
function completed(value: Json | undefined, { entry, replayed }: Ending): Record<string, unknown> {
  const meta = replayed ? { _meta: { replayed: true } } : undefined;
  if (value === undefined) return { content: [text("Done.")], ...meta };
  const content = [text(typeof value === "string" ? value : JSON.stringify(value))];
  // Up to 2025-11-25 structured content is an object: any other result is wrapped, as its schema was when listed.
  if (entry?.output === "value") return { content, structuredContent: { value }, ...meta };
  return isRecord(value) ? { content, structuredContent: value, ...meta } : { content, ...meta };
}

/** A failed call is a result with `isError`; the retry hint is text for the model, and fields for the client. */
export function failed(fault: Fault): Record<string, unknown> {
  const hint = retryHint(fault);
  return {
    content: [text(hint === "" ? fault.message : `${fault.message} (${hint})`)],
    isError: true,
    _meta: {
      can_retry: fault.canRetry ?? false,
      retry_after_ms: fault.retryAfterMs,
      additional_prompt_content: fault.additionalPromptContent,
      developer_message: fault.developerMessage,
    },
  };
}

function text(of: string): { type: "text"; text: string } {
  return { type: "text", text: of };
}
