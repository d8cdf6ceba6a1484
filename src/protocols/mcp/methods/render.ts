/** Turns an Outcome into the reply to an MCP `tools/call`. Knows MCP's words; knows nothing about tools. */

import { isRecord, type Json } from "../../../core/lib/json.ts";
import type { CallResult } from "../../../core/model/call-result.ts";
import { byPath, inOneLine } from "../../../core/model/issues.ts";
import {
  busyInWords,
  type Fault,
  missingInWords,
  NOT_KEPT,
  type Outcome,
  questionsInWords,
  type Refusal,
} from "../../../core/model/outcome.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { retryAfter } from "../../../http/response.ts";
import { faultFields, faultText } from "../../json-rpc.ts";
import { CODE, error, type Rendered } from "../wire/codes.ts";
import { blockOf } from "../wire/content.ts";
import { CAPABILITY_NAMES, REQUIRED_CAPABILITIES } from "../wire/elicitation.ts";
import { type Dialect, invalidIsResult } from "../wire/revisions.ts";

export function renderCall(ending: CallResult, dialect: Dialect, context: RequestContext): Rendered {
  const { outcome } = ending;
  switch (outcome.kind) {
    case "completed":
      return { result: completed(outcome, ending, dialect) };
    case "failed":
      return { result: failed(outcome.fault, ending.replayed) };
    case "timed_out": {
      const message = `The tool took longer than ${outcome.limitMs} ms`;
      // 2026-07-28 keeps -32003 for older servers: a result says the same there, and that one may try again.
      if (dialect.kind === "modern") return { result: failed({ message, canRetry: true }) };
      return error(CODE.timeout, message);
    }
    case "cancelled":
      return { result: failed({ message: "The call was cancelled", canRetry: true }) };
    case "invalid": {
      const text = `Invalid arguments: ${inOneLine(outcome.issues)}`;
      if (invalidIsResult(dialect)) return { result: failed({ message: text }) };
      return error(CODE.invalidParams, text, { parameter_errors: byPath(outcome.issues, "arguments") });
    }
    case "refused":
      return refused(outcome.refusal, dialect, context);
    case "asking":
      return { result: failed({ message: `The tool needs an answer first: ${questionsInWords(outcome.questions)}` }) };
  }
}

/** The reply to a prompt or a resource, which have no way to say that they failed but an error. */
export function renderOffer(
  outcome: Outcome,
  dialect: Dialect,
  context: RequestContext,
  result: (value: Json | undefined) => Record<string, unknown>,
): Rendered {
  switch (outcome.kind) {
    case "completed":
      return { result: result(outcome.value) };
    case "failed":
      return error(CODE.internal, faultText(outcome.fault));
    case "timed_out":
      return error(CODE.internal, `It took longer than ${outcome.limitMs} ms`);
    case "cancelled":
      return error(CODE.internal, "It was cancelled");
    case "invalid":
      return error(CODE.invalidParams, `Invalid arguments: ${inOneLine(outcome.issues)}`);
    case "asking":
      return error(CODE.internal, `It needs an answer first: ${questionsInWords(outcome.questions)}`);
    case "refused": {
      const { headers, ...reply } = refused(outcome.refusal, dialect, context);
      if ("error" in reply) return { ...reply, headers };
      // The text and fields of a tool's failed result, as an error.
      const { content, _meta } = reply.result as ReturnType<typeof failed>;
      return { ...error(CODE.internal, content[0].text, _meta), headers };
    }
  }
}

export function refused(refusal: Refusal, dialect: Dialect, context: RequestContext): Rendered {
  switch (refusal.reason) {
    case "scope": {
      // Basic/authorization, Runtime Insufficient Scope Errors: the status and the header tell a client to step up.
      const message = `${refusal.name} needs the scopes ${refusal.scopes.join(" ")}`;
      return { ...error(CODE.invalidRequest, message), ...context.challenge(refusal.scopes) };
    }
    case "busy": {
      const { retryAfterMs } = refusal;
      const message = busyInWords(refusal);
      return { result: failed({ message, canRetry: true, retryAfterMs }), headers: retryAfter(retryAfterMs) };
    }
    case "unknown_tool":
    case "unknown_version":
      // Gateway seed, "Error handling": tool not found is -32601 there, -32602 in every revision of MCP.
      return error(dialect.kind === "bare" ? CODE.unknownMethod : CODE.invalidParams, `Unknown tool: ${refusal.name}`);
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
    case "capability": {
      const message = `This needs a client with the capability ${CAPABILITY_NAMES[refusal.capability]}`;
      if (dialect.kind !== "modern") return { result: failed({ message }) };
      const requiredCapabilities = REQUIRED_CAPABILITIES[refusal.capability];
      return { ...error(CODE.missingCapability, message, { requiredCapabilities }), status: 400 };
    }
    case "conflict":
      return error(
        CODE.invalidParams,
        "This idempotency key was already used with other arguments, in another session or with other credentials; " +
          "use a new key for a new call",
      );
    case "not_kept":
      return { result: failed({ message: `${NOT_KEPT}; use a new key for a new call` }) };
  }
}

/** The result as text for the model, and as structured content where the revision's `outputSchema` describes it. */
function completed(
  { value, blocks, meta }: Outcome & { kind: "completed" },
  { entry, replayed }: CallResult,
  dialect: Dialect,
): Record<string, unknown> {
  const content = blocks?.length ? blocks.map(blockOf) : [text(inJson(value))];
  const _meta = meta || replayed ? { _meta: { ...meta, ...(replayed && { replayed }) } } : undefined;
  if (value === undefined) return { content, ..._meta };
  if (dialect.kind === "modern") return { content, structuredContent: value, ..._meta };
  // Up to 2025-11-25 structured content is an object: any other result is wrapped, as its schema was when listed.
  if (entry?.output === "value") return { content, structuredContent: { value }, ..._meta };
  return isRecord(value) ? { content, structuredContent: value, ..._meta } : { content, ..._meta };
}

function inJson(value: Json | undefined): string {
  if (value === undefined) return "Done.";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A failed call is a result with `isError`; the retry hint is text for the model, and fields for the client. */
export function failed(fault: Fault, replayed?: true) {
  return {
    content: [text(faultText(fault))] as const,
    isError: true,
    _meta: { ...faultFields(fault), replayed },
  };
}

function text(of: string): { type: "text"; text: string } {
  return { type: "text", text: of };
}
