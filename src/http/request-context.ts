/** One request on its way through a protocol, and a protocol as the app mounts it. Types only. */
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Principal } from "../core/model/principal.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import type { PathParams } from "./toolkit-router.ts";

/** How this deployment introduces itself. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** One request on its way through a protocol. */
export interface RequestContext {
  readonly request: Request;
  /** The request's: each look at `request.headers` crosses into the runtime. */
  readonly headers: Headers;
  readonly principal: Principal;
  /** Folder name of the toolkit whose path was asked for; absent on the bare paths. */
  readonly toolkit: string | undefined;
  /** Values of the parameters in the endpoint's path, `toolkit` among them. */
  readonly params: PathParams;
  readonly runtime: Runtime;
  readonly server: ServerInfo;
  readonly limits: Limits;
  /** How a principal is told to come back with more scopes: the status, and the header that says which. */
  challenge(this: RequestContext, scopes: readonly string[]): Challenge;
  /**
   * Looks at the credential once more.
   *
   * @param times how many further requests to count against the principal's rate: 0 for none
   * @returns what to answer if the principal is not admitted any more, is over its rate, or sees other tools than
   *          before
   */
  recheck(this: RequestContext, times: number): MaybePromise<Response | undefined>;
}

export interface Challenge {
  readonly status: 401 | 403;
  readonly headers: Record<string, string>;
}

export interface Limits {
  /** Bytes that a request's body may have. */
  readonly bodyBytes: number;
  /** Items on one page of a listing that has pages. */
  readonly pageSize: number;
}

export type MaybeResponse = MaybePromise<Response>;

/** A method on a path, served on the bare path and under each toolkit. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** May have parameters: `/rest/:toolkit/:tool`. `:toolkit` is the folder name of the toolkit that is called. */
  readonly path: string;
  /** Served to everyone: needs no credential. */
  readonly open?: true;
  readonly serve: (context: RequestContext) => MaybeResponse;
}

/** A protocol as the app mounts it. */
export interface Protocol {
  readonly endpoints: readonly Endpoint[];
  /** An error that HTTP itself can tell (404, 405, 500), in this protocol's shape. */
  readonly httpError: (status: number, message: string, headers?: Record<string, string>) => Response;
}
