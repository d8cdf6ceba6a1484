/**
 * Decides what a response means: a result, or which exception (docs/opentool.md, Exceptions). OpenTool's Client-Server
 * document names the exceptions in section 6, and the response of an error in section 2; that one of `result` and `error`
 * has to be there is JSON-RPC 2.0, section 5.
 */
import { INEXACT, inexactNumberIn, isRecord, parseJson } from "../lib/json.ts";
import type { Redact } from "../lib/redact.ts";
import {
  ErrorNullException,
  type OpenToolException,
  OpenToolServerCallException,
  OpenToolServerNoAccessException,
  OpenToolServerUnauthorizedException,
  ResponseNullException,
} from "./exceptions.ts";
import type { JsonObject } from "./model.ts";

/** A response that has arrived completely. */
export interface Received {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** Removes the client's key, which a server may repeat, from what exceptions show. */
  readonly redact: Redact;
}

export const isSuccess = (status: number) => status >= 200 && status <= 299;

/** How many characters of an unexpected response `cause` shows. */
const SHOWN = 200;

const answered = ({ url, status, text, redact }: Received) =>
  new Error(`${url} answered ${status}: ${redact(text).trim().slice(0, SHOWN)}`);

/** The exception for a response whose status is not 2xx. */
export function refusalOf(received: Received): OpenToolException {
  const { status, text, redact } = received;
  if (status === 401) return new OpenToolServerUnauthorizedException({ cause: answered(received) });
  const json = parseJson(text);
  // Many frameworks, and this project's own 404, send an `error` that is not about the call. Only JSON-RPC's has
  // `jsonrpc`.
  if (isRecord(json) && json.jsonrpc !== undefined && json.error) return errorOf(json.error, status, redact);
  return new OpenToolServerNoAccessException({ reason: "status", status, cause: answered(received) });
}

/**
 * The JSON object of a response.
 *
 * @throws {OpenToolException} if it has none, or one with an error
 */
export function objectOf(received: Received): JsonObject {
  const { status, text, redact } = received;
  if (!isSuccess(status)) throw refusalOf(received);
  const json = parseJson(text);
  if (text.trim() === "" || json === null) throw new ResponseNullException(status);
  if (!isRecord(json)) {
    throw new OpenToolServerNoAccessException({ reason: "not-opentool", status, cause: answered(received) });
  }
  // Published servers leave `error` out of a success, the document has null, and some write false or "".
  if (json.error) throw errorOf(json.error, status, redact);
  return json;
}

/**
 * The result of a call.
 *
 * @throws {OpenToolException} if it failed
 */
export function resultOf(received: Received): JsonObject {
  const { result } = objectOf(received);
  const inexact = inexactNumberIn(received.text);
  if (inexact !== undefined) throw new OpenToolServerCallException(`The result has the number ${inexact}, ${INEXACT}`);
  if (result === undefined) throw new ErrorNullException(received.status);
  // JSON-RPC 2.0 allows any value. null is the result of a function that returns nothing.
  if (result === null) return {};
  return isRecord(result) ? result : { value: result };
}

/** The exception for the `error` of a response, of whatever type it is. */
export function errorOf(
  error: unknown,
  status: number,
  redact: Redact,
): OpenToolServerCallException | ErrorNullException {
  if (typeof error === "string" && error.trim() !== "") return new OpenToolServerCallException(redact(error));
  if (typeof error !== "object" || error === null || Object.keys(error).length === 0) {
    return new ErrorNullException(status);
  }
  const { message, code, data } = error as JsonObject;
  return new OpenToolServerCallException(redact(typeof message === "string" && message ? message : inJson(error)), {
    code: typeof code === "number" ? code : undefined,
    data: redactedData(data, redact),
  });
}

function redactedData(data: unknown, redact: Redact): unknown {
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(clean);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), clean(member)]));
  };
  try {
    return clean(data);
  } catch {
    // It has too many levels for the stack. It is left out, because it may contain the key.
    return undefined;
  }
}

/** The error code of a call that still runs, or was not run, and that may be sent again (docs/tasks.md). */
export const STILL_RUNNING = 503;

/** Milliseconds after which the server wants to be asked again; undefined for any other error. */
export function againAfterMs(error: unknown): number | undefined {
  if (!(error instanceof OpenToolServerCallException) || error.code !== STILL_RUNNING || !isRecord(error.data)) return;
  const { can_retry, retry_after_ms } = error.data;
  return can_retry === true && typeof retry_after_ms === "number" ? Math.max(retry_after_ms, 100) : undefined;
}

/** `JSON.parse` takes any number of levels. `JSON.stringify` overflows the stack if a server sends too many. */
function inJson(error: object): string {
  try {
    return JSON.stringify(error);
  } catch {
    return "The server sent an error with too many levels to show";
  }
}
