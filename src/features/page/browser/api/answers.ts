/**
 * What the answer to a call says: the result of the tool, or why it did not succeed, whatever was thrown while it ran.
 */
import { isRecord, parseJson } from "../../../../client/lib/json.ts";
import { isOxpError, type OxpFailure } from "../../../../client/oxp/errors.ts";
import { type Block, readBlock } from "./blocks.ts";
import { CallerChanged, failureOf, NeedsCredential, Refused, RpcFailure, Unreachable } from "./failures.ts";
import { Cancelled, type FailureKind, type Missing, NotDone, type Result, type Why } from "./outcome.ts";
import { type Members, numberOr, textOr } from "./read.ts";

/**
 * Reads the result of a `tools/call` (2026-07-28, server/tools, Tool Result).
 *
 * @param isBusy whether the response asked to wait, which the result does not say
 * @throws {NotDone} for the result of a tool that failed
 */
export function readResult(result: Members, isBusy: boolean): Result {
  const meta = isRecord(result._meta) ? result._meta : {};
  const handle = sessionIn(result);
  const blocks = (Array.isArray(result.content) ? result.content : []).flatMap(readBlock);
  // The text with the handle is for models.
  const content = blocks.filter((one) => !(one.type === "text" && handle && one.text === `session: ${handle}`));
  const replayed = meta.replayed === true;
  const { structuredContent: value } = result;
  if (result.isError === true) throw new NotDone(whyFailed(content, meta, isBusy), replayed);
  // A text that repeats the value is for clients that do not know structured content.
  const isExtra = (block: Block) => block.type !== "text" || !repeats(block.text, value);
  if (value === undefined) return { value, content: content.filter((one) => !isDone(one)), replayed };
  return { value, content: content.filter(isExtra), replayed };
}

/** The handle by which the next call goes on in the session of this one (docs/data.md). */
export function sessionIn({ _meta }: Members): string | undefined {
  return isRecord(_meta) && typeof _meta.session === "string" ? _meta.session : undefined;
}

function whyOfRpc({ message, data }: RpcFailure): Why {
  const parameterErrors = errorsIn(isRecord(data) ? data : {});
  return parameterErrors.size > 0 ? { kind: "input", message, parameterErrors } : { kind: "refused", message };
}

function whyFailed(content: readonly Block[], meta: Members, isBusy: boolean): Why {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const whole = texts.join("\n") || "The tool failed, and does not say why.";
  const hint = textOr(meta.additional_prompt_content);
  const message = hint !== undefined && whole.endsWith(` (${hint})`) ? whole.slice(0, -hint.length - 3) : whole;
  const parameterErrors = errorsIn(meta);
  const missing = missingIn(message);
  const ofTool = isBusy ? "busy" : isTimeout(message) ? "timeout" : "failed";
  return {
    kind: parameterErrors.size > 0 ? "input" : missing !== undefined ? "needs" : ofTool,
    message,
    hint,
    parameterErrors,
    ...(missing && { missing }),
    developerMessage: textOr(meta.developer_message),
    retryAfterMs: numberOr(meta.retry_after_ms),
  };
}

function errorsIn({ parameter_errors }: Members): ReadonlyMap<string, string> {
  const entries = isRecord(parameter_errors) ? Object.entries(parameter_errors) : [];
  return new Map(entries.map(([path, problem]) => [path, String(problem)]));
}

/** What MCP says for a tool that returns nothing. */
function isDone(block: Block): boolean {
  return block.type === "text" && block.text === "Done.";
}

function repeats(text: string, value: unknown): boolean {
  return text === value || (typeof value !== "string" && JSON.stringify(parseJson(text)) === JSON.stringify(value));
}

export function whyOf(error: unknown): Why {
  if (error instanceof NotDone) return error.why;
  if (error instanceof Cancelled) return { kind: "cancelled", message: "You cancelled the call." };
  const failure = failureOf(error);
  if (failure instanceof CallerChanged) return { kind: "cancelled", message: failure.message };
  if (failure instanceof NeedsCredential) {
    const { message, scopes } = failure;
    return { kind: "refused", message, scopes, needsCredential: true };
  }
  if (failure instanceof Refused) {
    const { message, status, scopes, retryAfterMs } = failure;
    return status === 429 ? { kind: "busy", message, retryAfterMs } : { kind: "refused", message, scopes };
  }
  if (failure instanceof Unreachable) return { kind: failure.reason, message: failure.message };
  if (failure instanceof RpcFailure) return whyOfRpc(failure);
  if (isOxpError(failure)) return whyOfOxp(failure);
  // A mistake of this page: the message helps whoever reports it.
  return { kind: "broken", message: "Something went wrong in this page.", developerMessage: String(error) };
}

/** @param error one that `failureOf` returns as it is */
function whyOfOxp(error: OxpFailure): Why {
  const { message, developerMessage } = error;
  const why = (kind: FailureKind, more: Partial<Why> = {}) => ({ kind, message, developerMessage, ...more });
  switch (error.code) {
    case "invalid-input":
      return why("input", { parameterErrors: new Map(Object.entries(error.parameterErrors)) });
    case "tool-failed": {
      const { additionalPromptContent: hint, retryAfterMs } = error;
      return why(isTimeout(message) ? "timeout" : "failed", { hint, retryAfterMs });
    }
    case "refused": {
      const { missing, retryAfterMs } = error;
      if (retryAfterMs !== undefined) return why("busy", { retryAfterMs });
      const needs = missingIn(message);
      if (missing === undefined && needs === undefined) return why("refused");
      const { secrets = [], userId = false } = missing ?? {};
      return why("needs", { missing: { secrets, userId, authorizations: needs?.authorizations ?? [] } });
    }
    default:
      return why("broken");
  }
}

/** Recognizes a timeout by its message, because it has no code in any protocol. */
function isTimeout(message: string): boolean {
  return /^The tool took (too long to answer|longer than \d+ ms)/.test(message);
}

/**
 * Finds in the message what is missing: OXP has no member for tokens without a page to get them, and MCP has none.
 */
function missingIn(message: string): Missing | undefined {
  const list = / requires (.*?)(?:, which this server has not been given)?$/.exec(message)?.[1];
  if (list === undefined || !/^(authorization "|secret "|a user id|")/.test(list)) return undefined;
  const idsOf = (what: string) => Array.from(list.matchAll(new RegExp(`${what} "([^"]+)"`, "g")), ([, id = ""]) => id);
  return { secrets: idsOf("secret"), authorizations: idsOf("authorization"), userId: /\ba user id\b/.test(list) };
}
