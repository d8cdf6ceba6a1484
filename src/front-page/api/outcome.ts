/** How a call ended, for views: the same whether it went over OXP or MCP. */
import { isRecord, parseJson } from "../../client/lib/json.ts";
import { isOxpError, type OxpFailure } from "../../client/oxp/errors.ts";
import { failureOf, NeedsCredential, Refused, RpcFailure, Unreachable } from "./failures.ts";

type Members = Readonly<Record<string, unknown>>;

/** A part of a result for people, as MCP has it. `data` and `blob` are Base64. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string | undefined;
        readonly text?: string | undefined;
        readonly blob?: string | undefined;
      };
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
    };

/** What every call has. */
export interface Ended {
  /** From the click to the end, with the network and the time for answers. */
  readonly ms: number;
  /** Run again with it, and a call that has succeeded is not repeated. */
  readonly callId: string;
  /** Whether an earlier call with this id had run, so that this is its result. */
  readonly replayed: boolean;
}

export interface Succeeded extends Ended {
  readonly ok: true;
  /** undefined or null for a tool that returns nothing. */
  readonly value: unknown;
  /** Pictures and the like, besides the value. */
  readonly content: readonly Block[];
}

export type FailureKind =
  /** The input does not fit: `parameterErrors`. */
  | "input"
  /** The call lacks secrets, tokens or a user id: `missing`. */
  | "needs"
  /** The server does not run this for this caller: a credential or `scopes` are missing, or there is no such tool. */
  | "refused"
  /** The tool ran and failed. */
  | "failed"
  /** Too many calls, or the server is not available at the moment. */
  | "busy"
  | "timeout"
  | "cancelled"
  /** There is no connection. */
  | "offline"
  /** An answer that cannot be used, or only a part of one: the tool may have run. */
  | "broken";

export interface Missing {
  readonly secrets: readonly string[];
  /** Ids of tokens. */
  readonly authorizations: readonly string[];
  readonly userId: boolean;
}

export interface Failure extends Ended {
  readonly ok: false;
  readonly kind: FailureKind;
  /** A sentence for the person. */
  readonly message: string;
  /** What the tool adds for a model that tries again: OXP's `additional_prompt_content`. */
  readonly hint?: string | undefined;
  readonly developerMessage?: string | undefined;
  /** By path, such as `rows.0.id`. */
  readonly parameterErrors: ReadonlyMap<string, string>;
  readonly missing: Missing;
  /** Scopes that the call needs, if they are what is missing. */
  readonly scopes: readonly string[];
  readonly needsCredential: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly canRetry: boolean;
}

export type Outcome = Succeeded | Failure;

/** What is particular about a failure. */
export type Why = Partial<Omit<Failure, keyof Ended | "ok">> & Pick<Failure, "kind" | "message">;

const NOTHING: Omit<Failure, keyof Ended | "ok" | "kind" | "message"> = {
  parameterErrors: new Map(),
  missing: { secrets: [], authorizations: [], userId: false },
  scopes: [],
  needsCredential: false,
  canRetry: false,
};

/** Throw it to end a call: it is not the fault of this page, and `why` says all. */
export class NotDone extends Error {
  override readonly name = "NotDone";
  readonly why: Why;
  readonly replayed: boolean;

  constructor(why: Why, replayed = false) {
    super(why.message);
    this.why = why;
    this.replayed = replayed;
  }
}

/** The person cancelled: the reason of the signal. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export function failed(why: Why, ended: Ended): Failure {
  return { ...NOTHING, ...why, ok: false, ...ended };
}

/** @param error anything that was thrown while a call ran */
export function whyOf(error: unknown): Why {
  if (error instanceof NotDone) return error.why;
  if (error instanceof Cancelled) return { kind: "cancelled", message: "You cancelled the call." };
  const failure = failureOf(error);
  if (failure instanceof NeedsCredential) {
    const { message, scopes } = failure;
    return { kind: "refused", message, scopes, needsCredential: true };
  }
  if (failure instanceof Refused) {
    const { message, status, scopes, retryAfterMs } = failure;
    return status === 429
      ? { kind: "busy", message, retryAfterMs, canRetry: true }
      : { kind: "refused", message, scopes };
  }
  if (failure instanceof Unreachable) return { kind: failure.reason, message: failure.message };
  if (failure instanceof RpcFailure) return ofRpc(failure);
  if (isOxpError(failure)) return ofOxp(failure);
  // A mistake of this page: the message helps whoever reports it.
  return { kind: "broken", message: "Something went wrong in this page.", developerMessage: String(error) };
}

function ofRpc({ message, data }: RpcFailure): Why {
  const parameterErrors = errorsIn(isRecord(data) ? data : {});
  return parameterErrors.size > 0 ? { kind: "input", message, parameterErrors } : { kind: "refused", message };
}

/** Other errors than these are failures (failures.ts). */
function ofOxp(error: OxpFailure): Why {
  const { message, developerMessage } = error;
  switch (error.code) {
    case "invalid-input":
      return {
        kind: "input",
        message,
        developerMessage,
        parameterErrors: new Map(Object.entries(error.parameterErrors)),
      };
    case "tool-failed":
      return {
        kind: isTimeout(message) ? "timeout" : "failed",
        message,
        developerMessage,
        hint: error.additionalPromptContent,
        retryAfterMs: error.retryAfterMs,
        canRetry: error.canRetry,
      };
    case "refused": {
      const { missing, retryAfterMs } = error;
      if (retryAfterMs !== undefined) return { kind: "busy", message, developerMessage, retryAfterMs, canRetry: true };
      const needs = missingIn(message);
      if (missing === undefined && needs === undefined) return { kind: "refused", message, developerMessage };
      const { secrets = [], userId = false } = missing ?? {};
      return {
        kind: "needs",
        message,
        developerMessage,
        missing: { secrets, userId, authorizations: needs?.authorizations ?? [] },
      };
    }
    default:
      return { kind: "broken", message, developerMessage };
  }
}

/** Has no code in any protocol: the server's own words. */
function isTimeout(message: string): boolean {
  return /^The tool took (too long to answer|longer than \d+ ms)/.test(message);
}

/** OXP has no place for missing tokens without a page to get them, and MCP none for any: the server's own words. */
function missingIn(message: string): Missing | undefined {
  const list = / requires (.*?)(?:, which this server has not been given)?$/.exec(message)?.[1];
  if (list === undefined || !/^(authorization "|secret "|a user id|")/.test(list)) return undefined;
  const idsOf = (what: string) => Array.from(list.matchAll(new RegExp(`${what} "([^"]+)"`, "g")), ([, id = ""]) => id);
  return { secrets: idsOf("secret"), authorizations: idsOf("authorization"), userId: /\ba user id\b/.test(list) };
}

function errorsIn({ parameter_errors }: Members): ReadonlyMap<string, string> {
  const entries = isRecord(parameter_errors) ? Object.entries(parameter_errors) : [];
  return new Map(entries.map(([path, problem]) => [path, String(problem)]));
}

/**
 * Reads the result of a `tools/call` (2026-07-28, server/tools, Tool Result).
 *
 * @param isBusy whether the response asked to wait, which the result does not say
 * @throws {NotDone} for the result of a tool that failed
 */
export function readResult(result: Members, isBusy: boolean): Pick<Succeeded, "value" | "content" | "replayed"> {
  const meta = isRecord(result._meta) ? result._meta : {};
  const content = (Array.isArray(result.content) ? result.content : []).flatMap(readBlock);
  const replayed = meta.replayed === true;
  const { structuredContent: value } = result;
  if (result.isError === true) throw new NotDone(whyFailed(content, meta, isBusy), replayed);
  // A text that repeats the value is for clients that do not know structured content.
  const isExtra = (block: Block) => block.type !== "text" || !repeats(block.text, value);
  if (value === undefined) return { value, content: content.filter((one) => !isDone(one)), replayed };
  return { value, content: content.filter(isExtra), replayed };
}

function whyFailed(content: readonly Block[], meta: Members, isBusy: boolean): Why {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const whole = texts.join("\n") || "The tool failed, and does not say why.";
  const hint = textOr(meta.additional_prompt_content);
  const message = hint !== undefined && whole.endsWith(` (${hint})`) ? whole.slice(0, -hint.length - 3) : whole;
  const parameterErrors = errorsIn(meta);
  const missing = missingIn(message);
  const kind = (): FailureKind => {
    if (parameterErrors.size > 0) return "input";
    if (missing !== undefined) return "needs";
    if (isBusy) return "busy";
    return isTimeout(message) ? "timeout" : "failed";
  };
  return {
    kind: kind(),
    message,
    hint,
    parameterErrors,
    ...(missing && { missing }),
    developerMessage: textOr(meta.developer_message),
    retryAfterMs: typeof meta.retry_after_ms === "number" ? meta.retry_after_ms : undefined,
    canRetry: meta.can_retry === true,
  };
}

/** What MCP says for a tool that returns nothing. */
function isDone(block: Block): boolean {
  return block.type === "text" && block.text === "Done.";
}

function repeats(text: string, value: unknown): boolean {
  return text === value || (typeof value !== "string" && JSON.stringify(parseJson(text)) === JSON.stringify(value));
}

/** Blocks of types that this page does not know are left out. */
function readBlock(block: unknown): Block[] {
  if (!isRecord(block)) return [];
  const { type, text, data, mimeType, uri, name, description, resource } = block;
  if (type === "text" && typeof text === "string") return [{ type, text }];
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return [{ type, data, mimeType: textOr(mimeType) ?? "" }];
  }
  if (type === "resource_link" && typeof uri === "string") {
    return [{ type, uri, name: textOr(name) ?? uri, description: textOr(description), mimeType: textOr(mimeType) }];
  }
  if (type !== "resource" || !isRecord(resource) || typeof resource.uri !== "string") return [];
  const { uri: address, mimeType: kind, text: words, blob } = resource;
  return [{ type, resource: { uri: address, mimeType: textOr(kind), text: textOr(words), blob: textOr(blob) } }];
}

function textOr(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
