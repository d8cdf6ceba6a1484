/**
 * Why a call, or another request to an OXP server, did not succeed: a class for each case, and `code` to switch on.
 * No message contains a secret, a token or a key, even if the server repeats one.
 */
import type { NoResponseReason } from "../lib/http.ts";

/** Programs may switch on it; messages may change. */
export type OxpErrorCode =
  | "tool-failed"
  | "refused"
  | "invalid-input"
  | "unauthorized"
  | "status"
  | "no-response"
  | "unreadable";

/** Every error of this client, as a union that `code` tells apart. */
export type OxpFailure =
  | OxpToolFailed
  | OxpRefused
  | OxpInvalidInput
  | OxpUnauthorized
  | OxpStatus
  | OxpNoResponse
  | OxpUnreadable;

/** `error instanceof OxpError`, after which TypeScript knows the members of each `code`. */
export function isOxpError(error: unknown): error is OxpFailure {
  return error instanceof OxpError;
}

/** What an error says about its call. Errors of `list` and `health` have no `callId`. */
export interface Attempted {
  /** Call again with it, and the tool does not run twice. */
  readonly callId?: string | undefined;
  readonly attempts: number;
  readonly developerMessage?: string | undefined;
}

/** The members of an error class that come from the server's response. */
type Told<Failure extends OxpError> = Omit<Failure, "name" | "code" | "promptText" | "callId" | "attempts">;

/** The base class of all errors of this client. */
export abstract class OxpError extends Error {
  abstract readonly code: OxpErrorCode;
  /** For logs, and never for a user or a model: OXP's `developer_message`. */
  readonly developerMessage: string | undefined;
  readonly callId: string | undefined;
  readonly attempts: number;

  constructor(message: string, { callId, attempts, developerMessage }: Attempted, options?: ErrorOptions) {
    super(message, options);
    this.developerMessage = developerMessage;
    this.callId = callId;
    this.attempts = attempts;
  }

  /** What to tell a model. Contains nothing that is meant for developers, such as addresses. */
  abstract get promptText(): string;
}

/** The tool ran and failed: a result with `success: false` (OXP 1.0, Call Tool, Tool Execution Errors). */
export class OxpToolFailed extends OxpError {
  override readonly name = "OxpToolFailed";
  readonly code = "tool-failed";
  /** Whether another attempt may succeed. The client has already made all of its own. */
  readonly canRetry: boolean;
  /** The wait that the server asked for, in milliseconds, as it was sent: it may be years. */
  readonly retryAfterMs: number | undefined;
  /** What the tool adds for a model that tries again, such as a list of accepted values. */
  readonly additionalPromptContent: string | undefined;
  /** The server said that the call has not ended. Call again with `callId` to get its result. */
  readonly isRunning: boolean;

  constructor(fault: Told<OxpToolFailed>, attempted: Attempted) {
    super(fault.message, { ...attempted, developerMessage: fault.developerMessage });
    this.canRetry = fault.canRetry;
    this.retryAfterMs = fault.retryAfterMs;
    this.additionalPromptContent = fault.additionalPromptContent;
    this.isRunning = fault.isRunning;
  }

  /** The message, and `additionalPromptContent` on a line of its own. */
  get promptText(): string {
    return [this.message, this.additionalPromptContent].filter(Boolean).join("\n");
  }
}

/** The server did not run the tool: status 400 (OXP 1.0, Call Tool, Server Errors). */
export class OxpRefused extends OxpError {
  override readonly name = "OxpRefused";
  readonly code = "refused";
  /** What the call lacked, as far as the server says. */
  readonly missing: MissingRequirements | undefined;
  /** The wait, in milliseconds, of the header `Retry-After`: the server is unavailable for a moment. */
  readonly retryAfterMs: number | undefined;

  constructor(refusal: Told<OxpRefused>, attempted: Attempted) {
    super(refusal.message, { ...attempted, developerMessage: refusal.developerMessage });
    this.missing = refusal.missing;
    this.retryAfterMs = refusal.retryAfterMs;
  }

  get promptText(): string {
    return this.message;
  }
}

/** OXP 1.0, Server Error Response, `missing_requirements`. */
export interface MissingRequirements {
  /** `url` is where a user grants it, `checkUrl` says whether they have. Servers without such pages send neither. */
  readonly authorization: readonly {
    readonly id: string;
    readonly url?: string | undefined;
    readonly checkUrl?: string | undefined;
  }[];
  /** Ids of secrets. */
  readonly secrets: readonly string[];
  readonly userId: boolean;
}

/** The input does not fit the tool's schema, and the tool did not run: status 422. */
export class OxpInvalidInput extends OxpError {
  override readonly name = "OxpInvalidInput";
  readonly code = "invalid-input";
  /** What is wrong, by the name of the parameter. Names of nested ones are paths, such as `rows.0.id`. */
  readonly parameterErrors: Readonly<Record<string, string>>;

  constructor(message: string, parameterErrors: Readonly<Record<string, string>>, attempted: Attempted) {
    super(message, attempted);
    this.parameterErrors = parameterErrors;
  }

  /** The message, and a line for each parameter. */
  get promptText(): string {
    const lines = Object.entries(this.parameterErrors).map(([name, problem]) => `${name}: ${problem}`);
    return [this.message, ...lines].join("\n");
  }
}

/** The key or the token is missing, wrong or expired: status 401. */
export class OxpUnauthorized extends OxpError {
  override readonly name = "OxpUnauthorized";
  readonly code = "unauthorized";
  /** The header `WWW-Authenticate`: which credentials the server takes, and where to get them. */
  readonly wwwAuthenticate: string | undefined;

  constructor(message: string, wwwAuthenticate: string | undefined, attempted: Attempted) {
    super(message, attempted);
    this.wwwAuthenticate = wwwAuthenticate;
  }

  get promptText(): string {
    return "The tool server does not accept the credentials of this application";
  }
}

/** A status that OXP does not define, such as 403, 404, 429 or 503. */
export class OxpStatus extends OxpError {
  override readonly name = "OxpStatus";
  readonly code = "status";
  readonly status: number;
  /** The wait, in milliseconds, of the header `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfterMs: number | undefined, attempted: Attempted) {
    super(message, attempted);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  get promptText(): string {
    return `The tool server answered with the status ${this.status}`;
  }
}

/** There was no complete response: no connection, a time limit, too many bytes, a redirect. */
export class OxpNoResponse extends OxpError {
  override readonly name = "OxpNoResponse";
  readonly code = "no-response";
  readonly reason: NoResponseReason;

  constructor(reason: NoResponseReason, message: string, attempted: Attempted, options?: ErrorOptions) {
    super(message, attempted, options);
    this.reason = reason;
  }

  get promptText(): string {
    return this.reason === "timeout"
      ? "The tool server did not answer in time"
      : "The tool server could not be reached, or its answer could not be used";
  }
}

/** A response that is not OXP: HTML, other JSON, or members of the wrong types. */
export class OxpUnreadable extends OxpError {
  override readonly name = "OxpUnreadable";
  readonly code = "unreadable";

  constructor(message: string, attempted: Attempted) {
    super(message, attempted);
  }

  get promptText(): string {
    return "The tool server's answer could not be read";
  }
}
