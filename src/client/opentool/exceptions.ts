/**
 * The five exceptions of OpenTool 1.0, section 6, with the document's names, codes, messages and JSON. response.ts
 * decides which of them a response means. `cause` has what else is known, such as the address and what the platform
 * threw.
 */
import type { NoResponseReason } from "../lib/http.ts";

/** The base class of the five. */
export abstract class OpenToolException extends Error {
  /** For logs: the members that the document defines. */
  abstract toJson(): { code?: number; message: string };
}

/** The base class of the four whose JSON has a code. */
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
  /** The HTTP status, if there was a response. */
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
  /** The JSON-RPC error's. Servers use numbers like HTTP's (404: no such function) or JSON-RPC's (-32601). */
  readonly code: number | undefined;
  /** Whatever the server adds to the JSON-RPC error. */
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
