/**
 * The five exceptions of OpenTool 1.0, section 6, with the document's names, codes, messages and JSON. Which of them a
 * response means is decided in response.ts. What else is known, such as the address and what the platform threw, is in
 * `cause`.
 */
import type { NoResponseReason } from "../lib/http.ts";

/** What the five have in common. */
export abstract class OpenToolException extends Error {
  /** For logs: the members that the document defines. */
  abstract toJson(): { code?: number; message: string };
}

/** The four that have a code of their own. */
abstract class WithCode extends OpenToolException {
  abstract readonly code: number;

  toJson(): { code: number; message: string } {
    return { code: this.code, message: this.message };
  }
}

/** The response is empty, or `null`. */
export class ResponseNullException extends WithCode {
  override readonly name = "ResponseNullException";
  /** The HTTP status. */
  readonly code: number;

  constructor(code: number, options?: ErrorOptions) {
    super("Response is null", options);
    this.code = code;
  }
}

/** The response has no result, and no error that says why. */
export class ErrorNullException extends WithCode {
  override readonly name = "ErrorNullException";
  /** The HTTP status. */
  readonly code: number;

  constructor(code: number, options?: ErrorOptions) {
    super("Error is null", options);
    this.code = code;
  }
}

/** The key is missing, or the server does not accept it (HTTP 401). */
export class OpenToolServerUnauthorizedException extends WithCode {
  override readonly name = "OpenToolServerUnauthorizedException";
  readonly code = 401;

  constructor(options?: ErrorOptions) {
    super("Please check API Key is VALID or NOT", options);
  }
}

/** Why there was no access. */
export type NoAccessReason =
  | NoResponseReason
  /** An HTTP status that is neither 2xx nor 401, without an OpenTool error. */
  | "status"
  /** The answer is not one of OpenTool's, such as the page of a proxy. */
  | "not-opentool";

export interface NoAccessOptions extends ErrorOptions {
  readonly reason?: NoAccessReason;
  readonly status?: number | undefined;
}

/** There is no OpenTool server at the address, or it did not answer completely and in time. `cause` says more. */
export class OpenToolServerNoAccessException extends WithCode {
  override readonly name = "OpenToolServerNoAccessException";
  /** Always 404, as in the document. */
  readonly code = 404;
  readonly reason: NoAccessReason;
  /** Of the response, if there was one. */
  readonly status: number | undefined;

  constructor({ reason = "unreachable", status, ...options }: NoAccessOptions = {}) {
    super("Please check OpenTool Server is RUNNING or NOT", options);
    this.reason = reason;
    this.status = status;
  }
}

export interface CallErrorOptions extends ErrorOptions {
  readonly code?: number | undefined;
  readonly data?: unknown;
}

/** The server answered that the call has failed. */
export class OpenToolServerCallException extends OpenToolException {
  override readonly name = "OpenToolServerCallException";
  /** Of the JSON-RPC error. Servers use numbers like HTTP's (404: no such function) or JSON-RPC's (-32601). */
  readonly code: number | undefined;
  /** Of the JSON-RPC error: whatever the server adds. */
  readonly data: unknown;

  constructor(message: string, { code, data, ...options }: CallErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.data = data;
  }

  toJson(): { message: string } {
    return { message: this.message };
  }
}
