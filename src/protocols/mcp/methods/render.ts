/** Turns an Outcome into an MCP reply in the dialect of its request. Knows nothing about tools. */

import { isRecord, type Json } from "../../../core/lib/json.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { CallResult } from "../../../core/model/call-result.ts";
import type { Block } from "../../../core/model/content.ts";
import { byPath, inOneLine } from "../../../core/model/issues.ts";
import {
  busyInWords,
  type Fault,
  missingInWords,
  NOT_KEPT,
  type Outcome,
  type Refusal,
} from "../../../core/model/outcome.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { logIfLarge, retryAfter } from "../../../http/response.ts";
import { faultFields, faultText } from "../../json-rpc.ts";
import type { Dialect, Exchange, Subject } from "../transport/exchange.ts";
import { CAPABILITY_NAMES } from "../wire/capabilities.ts";
import { CODE, error, type Rendered } from "../wire/codes.ts";
import { blockOf } from "../wire/content.ts";

export function renderCall(result: CallResult, exchange: Exchange, subject: Subject): MaybePromise<Rendered> {
  const { outcome } = result;
  const { dialect } = exchange;
  switch (outcome.kind) {
    case "completed":
      return { result: completed(outcome, result, exchange) };
    case "failed":
      return { result: failed(outcome.fault, result.replayed) };
    case "timed_out":
      return dialect.timedOut(`The tool took longer than ${outcome.limitMs} ms`);
    case "cancelled":
      return { result: failed({ message: "The call was cancelled", canRetry: true }) };
    case "invalid": {
      const message = `Invalid arguments: ${inOneLine(outcome.issues)}`;
      const errors = { parameter_errors: byPath(outcome.issues, "arguments") };
      if (!dialect.invalidIsResult) return error(CODE.invalidParams, message, errors);
      const { _meta, ...result } = failed({ message });
      return { result: { ...result, _meta: { ..._meta, ...errors } } };
    }
    case "refused":
      return refused(outcome.refusal, dialect, exchange.context);
    case "asking":
      return dialect.asking(exchange, subject, outcome);
    case "accepted":
      return stillRunning(outcome.task.pollMs);
  }
}

/** Renders the outcome of a prompt, resource or completion. Unlike tools, they report every failure as an error. */
export function renderPrimitive(
  outcome: Outcome,
  exchange: Exchange,
  subject: Subject,
  result: (value: Json | undefined) => Record<string, unknown>,
): MaybePromise<Rendered> {
  const { dialect, context } = exchange;
  switch (outcome.kind) {
    case "completed":
      return { result: result(outcome.value) };
    case "failed": {
      const { fault } = outcome;
      return error(
        CODE.internal,
        faultText(fault),
        fault.developerMessage === undefined ? undefined : faultFields(fault),
      );
    }
    case "timed_out":
      return error(CODE.internal, `The request took longer than ${outcome.limitMs} ms`);
    case "cancelled":
      return error(CODE.internal, "The request was cancelled");
    case "invalid":
      return error(CODE.invalidParams, `Invalid arguments: ${inOneLine(outcome.issues)}`);
    case "asking":
      return dialect.asking(exchange, subject, outcome);
    case "accepted":
      // Only tools have tasks.
      return error(CODE.internal, "The request goes on");
    case "refused": {
      const { headers, ...reply } = refused(outcome.refusal, dialect, context);
      if ("error" in reply) return { ...reply, headers };
      // Turn the text and fields of a tool's failed result into an error.
      const { content, _meta } = reply.result as ReturnType<typeof failed>;
      return { ...error(CODE.internal, content[0].text, _meta), headers };
    }
  }
}

export function refused(refusal: Refusal, dialect: Dialect, context: RequestContext): Rendered {
  switch (refusal.reason) {
    case "scope": {
      // Basic/authorization, Runtime Insufficient Scope Errors: status and header tell the client to get more scopes.
      const message = `${refusal.name} needs the scopes ${refusal.scopes.join(" ")}`;
      return { ...error(CODE.invalidRequest, message), ...context.challenge(refusal.scopes) };
    }
    case "busy":
      return { ...later(busyInWords(refusal), refusal), headers: retryAfter(refusal.retryAfterMs) };
    case "unknown_tool":
    case "unknown_version":
      return error(dialect.unknownToolCode, `Unknown tool: ${refusal.name}`);
    case "requirements": {
      const missing = missingInWords(refusal.missing);
      return {
        result: failed({ message: `${refusal.name} requires ${missing}, which this server has not been given` }),
      };
    }
    case "running":
      return stillRunning(refusal.retryAfterMs);
    case "unavailable":
      return later("The server is temporarily unavailable", refusal);
    case "capability": {
      const { capability, question } = refusal;
      const asked = /[.?!]$/.test(question) ? question : `${question}.`;
      return dialect.lacksCapability(
        capability,
        `The tool needs an answer first: ${asked} ` +
          `Only clients with the capability ${CAPABILITY_NAMES[capability]} can be asked, and this one does not declare it`,
      );
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

/** Renders the value as text for the model, and as structured content if the revision's `outputSchema` allows it. */
function completed(
  { value, blocks, meta, omit }: Outcome & { kind: "completed" },
  result: CallResult,
  { dialect, context }: Exchange,
): Record<string, unknown> {
  const { entry, replayed } = result;
  const isUnsaid = omit === "text" || (value === undefined && blocks?.length);
  const said = isUnsaid ? "" : inJson(value);
  logIfLarge(said, result, context);
  const content = contentOf(said, blocks);
  const _meta = meta || replayed ? { _meta: { ...meta, ...(replayed && { replayed }) } } : undefined;
  if (value === undefined || omit === "structured") return { content, ..._meta };
  if (dialect.structuredContent === "any") return { content, structuredContent: value, ..._meta };
  // If the revision allows only objects, other values are wrapped, as in the listed schema.
  if (entry?.output === "value") return { content, structuredContent: { value }, ..._meta };
  return isRecord(value) ? { content, structuredContent: value, ..._meta } : { content, ..._meta };
}

/** Adds the text in front of the blocks, unless it is empty, which model APIs refuse, or a block already has it. */
function contentOf(said: string, blocks: readonly Block[] = []): unknown[] {
  const isSaid = said === "" || blocks.some((block) => block.type === "text" && block.text === said);
  const own = blocks.map(blockOf);
  return isSaid ? own : [text(said), ...own];
}

function inJson(value: Json | undefined): string {
  if (value === undefined) return "Done.";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A failed call is a result with `isError`. The retry hint is text for the model and fields for the client. */
export function failed(fault: Fault, replayed?: true) {
  return { content: [text(faultText(fault))] as const, isError: true, _meta: { ...faultFields(fault), replayed } };
}

function stillRunning(retryAfterMs: number) {
  return later("A call with this idempotency key is still running", { retryAfterMs });
}

function later(message: string, { retryAfterMs }: { readonly retryAfterMs: number }) {
  return { result: failed({ message, canRetry: true, retryAfterMs }) };
}

function text(of: string): { type: "text"; text: string } {
  return { type: "text", text: of };
}
