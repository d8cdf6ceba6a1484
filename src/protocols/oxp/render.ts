/** Turns an Outcome into an OXP response. Knows OXP field names; knows nothing about tools. */
import type { CallResult } from "../../core/model/call-result.ts";
import { byPath } from "../../core/model/issues.ts";
import {
  busyInWords,
  type Fault,
  type Missing,
  missingInWords,
  NOT_KEPT,
  questionsInWords,
  type Refusal,
} from "../../core/model/outcome.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { json, jsonText, logIfLarge, retryAfter } from "../../http/response.ts";

/** OXP 1.0: every response names its version. */
const VERSION = { $schema: "urn:oxp:1.0" };

/**
 * Header that names what is missing from this response because only MCP can express it: "question", which the tool
 * asked, or "content", such as images. A client of both protocols can send the same call with the same key over MCP.
 */
const OVER_MCP = "over-mcp";

/** Renders the result of a call. Errors have the statuses of OXP 1.0, Call Tool. */
export function render(result: CallResult, callId: string, context: RequestContext): Response {
  const { outcome, durationMs } = result;
  switch (outcome.kind) {
    case "completed": {
      const members = { call_id: callId, duration: durationMs, success: true, value: outcome.value ?? null };
      const text = textOf(members);
      logIfLarge(text, result, context);
      return toolResult(result, text, outcome.blocks?.length ? { [OVER_MCP]: "content" } : undefined);
    }
    case "failed":
      return failure(result, callId, outcome.fault);
    case "timed_out":
      return failure(result, callId, {
        message: "The tool took too long to answer",
        developerMessage: `The tool exceeded its time limit of ${outcome.limitMs} ms`,
        canRetry: true,
      });
    case "cancelled":
      return failure(result, callId, { message: "The call was cancelled", canRetry: true });
    case "invalid":
      // OXP 1.0, Call Tool, Input Validation Errors.
      return json(
        { ...VERSION, message: "Some input parameters are invalid", parameter_errors: byPath(outcome.issues, "input") },
        422,
      );
    case "refused":
      return refused(result, callId, outcome.refusal, context);
    case "asking":
      return needsAnswer(questionsInWords(outcome.questions));
    case "accepted":
      return stillRunning(result, callId, outcome.task.pollMs);
  }
}

/** Headers with facts for which the body of a failed call has no member. */
const MARKERS = [OVER_MCP, "idempotency-running"];

/**
 * Renders the result of a call whose response has already begun, with status 200 and without headers. An outcome that
 * would have another status becomes a failed result with the same message, and `developer_message` has a line for each
 * missing header.
 */
export async function renderLate(result: CallResult, callId: string, context: RequestContext): Promise<Response> {
  const response = render(result, callId, context);
  switch (result.outcome.kind) {
    case "completed":
      return response;
    case "failed":
    case "timed_out":
    case "cancelled":
    case "invalid":
    case "refused":
    case "asking":
    case "accepted":
      break;
    default:
      result.outcome satisfies never;
  }
  const { result: failed, message, developer_message, parameter_errors } = JSON.parse(await response.text());
  const { headers } = response;
  const seconds = headers.get("retry-after");
  const error = failed?.error ?? {
    message,
    developer_message: developer_message ?? JSON.stringify(parameter_errors),
    can_retry: seconds !== null,
    retry_after_ms: seconds === null ? undefined : Number(seconds) * 1_000,
  };
  const markers = MARKERS.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`);
  const lines = [error.developer_message, ...markers].filter((line) => line !== undefined);
  const said = { ...error, developer_message: lines.length > 0 ? lines.join("\n") : undefined };
  return jsonText(textOf({ call_id: callId, duration: result.durationMs, success: false, error: said }));
}

function refused(result: CallResult, callId: string, refusal: Refusal, context: RequestContext): Response {
  switch (refusal.reason) {
    case "scope": {
      const { status, headers } = context.challenge(refusal.scopes);
      return serverError(status, `${refusal.name} needs the scopes ${refusal.scopes.join(" ")}`, undefined, headers);
    }
    case "busy":
      return serverError(429, busyInWords(refusal), undefined, retryAfter(refusal.retryAfterMs));
    case "unknown_tool":
      return serverError(400, `Tool '${refusal.name}' was not found`, `${refusal.name} is not available`);
    case "unknown_version":
      return serverError(
        400,
        `Tool '${refusal.name}' was not found`,
        `${refusal.id} version ${fullVersion(refusal.version)} is not available`,
      );
    case "requirements":
      return missingRequirements(refusal.name, refusal.missing);
    case "running":
      return stillRunning(result, callId, refusal.retryAfterMs);
    case "unavailable":
      return serverError(
        400,
        "The tool server is temporarily unavailable",
        "The tool was not run, because a service that the server needs first cannot be reached",
        retryAfter(refusal.retryAfterMs),
      );
    case "capability":
      return needsAnswer(refusal.question);
    case "conflict":
      return serverError(
        400,
        "This call_id was already used with different input, another version or other credentials",
        "Use a new call_id for each new call",
      );
    case "not_kept":
      // The tool ran: this is a tool result, not a bad request.
      return failure(result, callId, { message: NOT_KEPT, developerMessage: "Use a new call_id for a new call" });
  }
}

/** Response for a call that is still running, as a task or for another request. */
function stillRunning(result: CallResult, callId: string, retryAfterMs: number): Response {
  const fault = { message: "A call with this call_id is still running", canRetry: true, retryAfterMs };
  // A failed tool gets the same body. The header lets clients poll without counting failures.
  return failure(result, callId, fault, { "idempotency-running": "true" });
}

/** OXP has no way to ask the user during a call. */
function needsAnswer(what: string): Response {
  return serverError(
    400,
    `The tool needs an answer first: ${what}`,
    "OXP cannot ask the user during a call; over MCP, this tool can",
    { [OVER_MCP]: "question" },
  );
}

/** Expands a major version: `@2` means 2.0.0 (OXP 1.0, Tool Version Resolution). */
function fullVersion(requested: string): string {
  return requested.includes(".") ? requested : `${requested}.0.0`;
}

const HELP_OF_CALLER =
  "Send every missing value in request.context, or set all of them as Worker secrets of the same names; " +
  "do not mix the two";

function callerCanHelp({ authorization, secrets, userId }: Missing): boolean {
  return authorization.length > 0 || secrets.length > 0 || userId;
}

/**
 * In OXP, `missing_requirements.authorization` is a list of challenges with a URL to visit, and a tool server has no
 * such URL. So only the message names a missing authorization, and `missing_requirements` is left out if nothing else
 * is missing.
 */
function missingRequirements(name: string, missing: Missing): Response {
  const named = {
    ...(missing.secrets.length > 0 && { secrets: missing.secrets.map((id) => ({ id })) }),
    ...(missing.userId && { user_id: true }),
  };
  return json(
    {
      ...VERSION,
      message: `Tool '${name}' requires ${missingInWords(missing)}`,
      developer_message: callerCanHelp(missing)
        ? HELP_OF_CALLER
        : "Ask the operator of this server to set these secrets",
      missing_requirements: Object.keys(named).length > 0 ? named : undefined,
    },
    400,
  );
}

/** A result with `success: false` (OXP 1.0, Call Tool Response, and Tool Execution Errors). */
function failure(result: CallResult, callId: string, fault: Fault, headers?: Record<string, string>): Response {
  const members = {
    call_id: callId,
    duration: result.durationMs,
    success: false,
    error: {
      message: fault.message,
      developer_message: fault.developerMessage,
      can_retry: fault.canRetry ?? false,
      additional_prompt_content: fault.additionalPromptContent,
      retry_after_ms: fault.retryAfterMs,
    },
  };
  return toolResult(result, textOf(members), headers);
}

function textOf(result: Record<string, unknown>): string {
  return JSON.stringify({ $schema: VERSION.$schema, result });
}

function toolResult(result: CallResult, text: string, headers?: Record<string, string>): Response {
  const marked = result.replayed ? { "idempotency-replayed": "true", ...headers } : headers;
  return jsonText(text, 200, marked);
}

/** OXP 1.0, Server Error Response. Also used where OXP defines no format (404, 405, 413, 415). */
export function serverError(
  status: number,
  message: string,
  developerMessage?: string,
  headers?: Record<string, string>,
): Response {
  return json({ ...VERSION, message, developer_message: developerMessage }, status, headers);
}
