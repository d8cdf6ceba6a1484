/** The types that the app and its protocols share: a request with its context, and a protocol's endpoints. */
import type { Execute } from "../core/call/execute.ts";
import type { ConcurrencyLimit } from "../core/lib/concurrency-limit.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Principal } from "../core/model/principal.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import type { PathParams } from "./toolkit-router.ts";

/** What this deployment reports about itself to clients (MCP 2025-11-25, schema, Implementation). */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  /** What the server is for, in up to 100 characters. */
  readonly description?: string;
  /** Shown to people in place of the name. */
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly { readonly src: string }[];
}

/** One request, with everything that a protocol needs to handle it. */
export interface RequestContext {
  readonly request: Request;
  /** The request's headers, read once: each access to `request.headers` crosses into the runtime. */
  readonly headers: Headers;
  readonly principal: Principal;
  /** Folder name of the toolkit in the request's path; undefined on the paths that serve all toolkits. */
  readonly toolkit: string | undefined;
  /** Values of the parameters in the endpoint's path, `toolkit` among them. */
  readonly params: PathParams;
  readonly runtime: Runtime;
  /** Carries out a call, including what the deployment's features do around it. */
  readonly execute: Execute;
  readonly server: ServerInfo;
  readonly limits: Limits;
  /** Set when a large body was read. */
  largeBody?: HeldRoom | undefined;
  /** The status and headers that ask a client to come back with these scopes. */
  challenge(this: RequestContext, scopes: readonly string[]): Challenge;
  /**
   * Checks the credential again.
   *
   * @param times how many further requests to count against the principal's rate; may be 0
   * @returns the response to send if the credential is no longer valid, the principal is over its rate, or it sees
   *          other tools than before; else undefined
   */
  recheck(this: RequestContext, times: number): MaybePromise<Response | undefined>;
}

/** Status and headers of a response that asks for a credential, or for more scopes. */
export interface Challenge {
  readonly status: 401 | 403;
  readonly headers: Record<string, string>;
}

export interface Limits {
  /** Maximum size of a request body, in bytes. */
  readonly bodyBytes: number;
  /** Limits how many bytes of large bodies an isolate holds, until they are answered; undefined for no limit. */
  readonly bodies?: ConcurrencyLimit | undefined;
  /** Items per page of a paginated listing. */
  readonly pageSize: number;
}

/**
 * The room that a large body, or the answer to a question, takes in the isolate. It stays reserved until the request is
 * answered and its calls have ended, because they refer to their input. Code that continues after the response has
 * begun calls `keep`, and `release` when it ends.
 */
export interface HeldRoom {
  keep(): void;
  release(): void;
  /** Keeps it after the last `release` until then, but for 30 seconds at most: the tool may never end. */
  keepUntil(end: Promise<unknown>): void;
}

export type MaybeResponse = MaybePromise<Response>;

/** A method and path, served for all toolkits and again under each toolkit's own path. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** May have parameters: `/rest/:toolkit/:tool`. `:toolkit` is the folder name of the toolkit that is called. */
  readonly path: string;
  /** Set if it needs no credential. */
  readonly open?: true;
  readonly serve: (context: RequestContext) => MaybeResponse;
}

export interface Protocol {
  readonly endpoints: readonly Endpoint[];
  /** Renders an HTTP-level error (404, 405, 500) in this protocol's format. */
  readonly httpError: (status: number, message: string, headers?: Record<string, string>) => Response;
}
