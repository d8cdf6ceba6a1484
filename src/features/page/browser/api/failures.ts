/** Why the server did not give what was asked of it: errors whose messages are sentences for the person at the page. */
import { type Fetch, NoResponse } from "../../../../client/lib/http.ts";
import { isRecord, parseJson } from "../../../../client/lib/json.ts";
import { isOxpError } from "../../../../client/oxp/errors.ts";
import { count } from "../lib/words.ts";

export type { Fetch };

export class ServerFailure extends Error {}

/** 401: there is no credential, or the server does not accept it. */
export class NeedsCredential extends ServerFailure {
  override readonly name = "NeedsCredential";
  /** The scopes that a sign-in should ask for, if the server names any. */
  readonly scopes: readonly string[];

  constructor(message: string, scopes: readonly string[] = []) {
    super(message);
    this.scopes = scopes;
  }
}

/** 403 or 429: the server knows who calls, and refuses the request. */
export class Refused extends ServerFailure {
  override readonly name = "Refused";
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** The scopes that the request needs, if they are what is missing. */
  readonly scopes: readonly string[];

  constructor(
    message: string,
    status: number,
    { retryAfterMs, scopes = [] }: { readonly retryAfterMs?: number | undefined; readonly scopes?: readonly string[] },
  ) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.scopes = scopes;
  }
}

/** Another key or sign-in is used now: what was begun with the last one is over. */
export class CallerChanged extends ServerFailure {
  override readonly name = "CallerChanged";

  constructor() {
    super("The key was changed while this call ran.");
  }
}

/** There was no answer, or none that can be read. */
export class Unreachable extends ServerFailure {
  override readonly name = "Unreachable";
  readonly reason: "offline" | "broken" | "timeout";

  constructor(message: string, reason: Unreachable["reason"]) {
    super(message);
    this.reason = reason;
  }
}

/** An error of JSON-RPC: the server has read the request, and does not do it. */
export class RpcFailure extends ServerFailure {
  override readonly name = "RpcFailure";
  readonly code: number;
  readonly data: unknown;

  constructor(message: string, code: number, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const NOT_ACCEPTED = "The server does not accept this key or sign-in: it may have been revoked, or have expired.";
export const NO_KEY = "This needs a key or a sign-in.";
const NOT_READABLE = "The server's answer cannot be read: something else may have answered.";
const NO_RESPONSE: Readonly<Record<NoResponse["reason"], readonly [message: string, Unreachable["reason"]]>> = {
  unreachable: ["The server cannot be reached. Check your connection.", "offline"],
  cut: ["The connection broke off before the answer was complete.", "broken"],
  timeout: ["The server did not answer in time.", "timeout"],
  "too-large": ["The answer is too large for this page.", "broken"],
  redirected: ["The server answered with a redirect, which this page does not follow.", "broken"],
};

/**
 * @param message what the body says, if it says anything
 * @param granted scopes that the caller has
 * @returns the error for a status other than 200
 */
export function statusFailure(
  status: number,
  headers: Headers,
  message: string | undefined,
  granted: readonly string[] = [],
): Error {
  if (status === 401) {
    // RFC 6750, section 3.1: a request without a credential gets no error code.
    const isWrong = /error="/.test(headers.get("www-authenticate") ?? "");
    return new NeedsCredential(isWrong ? NOT_ACCEPTED : NO_KEY, scopesIn(headers, granted));
  }
  const seconds = headers.get("retry-after");
  const retryAfterMs = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
  if (status === 429) {
    const when =
      retryAfterMs === undefined ? "a minute" : count(Math.max(1, Math.ceil(retryAfterMs / 1_000)), "second");
    return new Refused(`${sentence(message ?? "Too many requests")} Try again in ${when}.`, 429, { retryAfterMs });
  }
  if (status === 403)
    return new Refused(message ?? "The server refuses this request.", 403, { scopes: scopesIn(headers, granted) });
  return new Unreachable(`The server answered with the status ${status}${message ? `: ${message}` : "."}`, "broken");
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** Scopes that the request needs besides those that are granted (RFC 6750, section 3; RFC 9728, section 5.1). */
function scopesIn(headers: Headers, granted: readonly string[]): readonly string[] {
  const scopes = /\bscope="([^"]*)"/.exec(headers.get("www-authenticate") ?? "")?.[1] ?? "";
  return scopes.split(" ").filter((scope) => scope !== "" && !granted.includes(scope));
}

/** The message in the body of a failed request, whichever protocol it is of. */
export function messageIn(text: string): string | undefined {
  const body = parseJson(text);
  if (!isRecord(body)) return undefined;
  const message = isRecord(body.error) ? body.error.message : (body.error_description ?? body.message);
  return typeof message === "string" && message !== "" ? message : undefined;
}

/** Turns what the clients of src/client throw into one of the errors above. Returns anything else as it is. */
export function failureOf(error: unknown): unknown {
  // What `Access.sender` throws is the cause of what the clients throw.
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ServerFailure) return cause;
  if (error instanceof NoResponse) return new Unreachable(...NO_RESPONSE[error.reason]);
  if (!isOxpError(error)) return error;
  if (error.code === "no-response") return new Unreachable(...NO_RESPONSE[error.reason]);
  if (error.code === "status") return new Unreachable(`The server answered with the status ${error.status}.`, "broken");
  return error.code === "unreadable" ? new Unreachable(NOT_READABLE, "broken") : error;
}

/** @throws {Unreachable} for an answer that breaks the protocol */
export function unreadable(what: string): never {
  throw new Unreachable(`The server's answer cannot be read: ${what}.`, "broken");
}
