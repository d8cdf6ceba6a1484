/** Turns an Outcome into an OpenTool response. Clients show only `error.message`, so it must contain everything. */

import { isRecord } from "../../core/lib/json.ts";
import { inOneLine } from "../../core/model/issues.ts";
import {
  busyInWords,
  type Fault,
  missingInWords,
  NOT_KEPT,
  type Outcome,
  questionsInWords,
  type Refusal,
} from "../../core/model/outcome.ts";
import { faultFields, faultText } from "../json-rpc.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Record<string, unknown>;
}

/** Codes of the error object, which follow the meaning of HTTP statuses. */
export const CODE = {
  badRequest: 400,
  unknown: 404,
  scope: 403,
  timeout: 408,
  conflict: 409,
  invalid: 422,
  tooMany: 429,
  failed: 500,
  busy: 503,
};

/**
 * Renders a JSON-RPC response.
 *
 * @param hasKey whether the caller sent an idempotency key: messages mention it only if so
 */
export function render(outcome: Outcome, id: unknown, hasKey: boolean): Record<string, unknown> {
  switch (outcome.kind) {
    case "completed":
      return success(outcome.value, id);
    case "failed":
      return failure(faultError(CODE.failed, outcome.fault), id);
    case "timed_out":
      return failure(inVain(`The tool took longer than ${outcome.limitMs} ms; try again`), id);
    case "cancelled":
      return failure(inVain("The call was cancelled"), id);
    case "invalid":
      return failure({ code: CODE.invalid, message: `Invalid parameters: ${inOneLine(outcome.issues)}` }, id);
    case "refused":
      return failure(refusalError(outcome.refusal, hasKey), id);
    case "asking":
      return failure(needsAnswer(questionsInWords(outcome.questions)), id);
    case "accepted":
      return failure(stillRunning(hasKey, outcome.task.pollMs), id);
  }
}

function inVain(message: string): RpcError {
  return { code: CODE.timeout, message, data: { can_retry: true } };
}

/** OpenTool has no way to ask the user during a call. */
function needsAnswer(what: string): RpcError {
  return { code: CODE.badRequest, message: `The tool needs an answer first: ${what}` };
}

function refusalError(refusal: Refusal, hasKey: boolean): RpcError {
  switch (refusal.reason) {
    case "unknown_tool":
      return {
        code: CODE.unknown,
        message: `Unknown function ${refusal.name}; GET /opentool/load lists all functions`,
      };
    case "unknown_version":
      return { code: CODE.unknown, message: `Version ${refusal.version} of ${refusal.id} is not available` };
    case "requirements":
      return {
        code: CODE.badRequest,
        message: `${refusal.name} requires ${missingInWords(refusal.missing)}, which this server has not been given`,
      };
    case "scope": {
      const scopes = refusal.scopes.join(" ");
      return { code: CODE.scope, message: `${refusal.name} needs the scopes ${scopes}`, data: { scopes } };
    }
    case "busy":
      return retryable(CODE.tooMany, busyInWords(refusal), refusal.retryAfterMs);
    case "running":
      return stillRunning(hasKey, refusal.retryAfterMs);
    case "unavailable":
      return retryable(CODE.busy, "The server is temporarily unavailable", refusal.retryAfterMs);
    case "capability":
      return needsAnswer(refusal.question);
    case "conflict":
      return {
        code: CODE.conflict,
        message:
          "This idempotency key was already used with other parameters or credentials, or for another version; " +
          "use a new key for a new call",
      };
    case "not_kept":
      return { code: CODE.conflict, message: `${NOT_KEPT}; use a new key for a new call`, data: { can_retry: false } };
  }
}

const RUNNING_KEY = "A call with this idempotency key is still running";
/** For a long tool that was called without a key: a call with the same parameters gets the result of the same run. */
const RUNNING_TOOL = "The function is still running; call it again with the same parameters to get its result";

function stillRunning(hasKey: boolean, retryAfterMs: number): RpcError {
  return retryable(CODE.busy, hasKey ? RUNNING_KEY : RUNNING_TOOL, retryAfterMs);
}

function retryable(code: number, message: string, retryAfterMs: number): RpcError {
  return faultError(code, { message, canRetry: true, retryAfterMs });
}

function faultError(code: number, fault: Fault): RpcError {
  return { code, message: faultText(fault), data: faultFields(fault) };
}

/** `result` is always an object: any other value is wrapped as `{"value": …}`, and no output becomes `{}`. */
function success(value: unknown, id: unknown): Record<string, unknown> {
  const result = value === undefined ? {} : isRecord(value) ? value : { value };
  return { jsonrpc: "2.0", result, error: null, id };
}

/** A JSON-RPC error. `result` is `{}` next to it, because the Dart client crashes on null before it reads the error. */
export function failure(error: RpcError, id: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", result: {}, error, id };
}
