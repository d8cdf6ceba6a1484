/** An era of MCP as the endpoint sees it: which messages belong to it, and the handlers for them. Types only. */

import type { MaybeResponse, RequestContext } from "../../../http/request-context.ts";
import type { RpcMessage } from "../../json-rpc.ts";
import type { RpcError } from "../wire/codes.ts";

export interface Era {
  readonly name: string;
  /**
   * Decides whether a message belongs to this era.
   *
   * @param header revision in the `MCP-Protocol-Version` header
   * @returns undefined if the message may belong to another era
   */
  match(header: string | undefined, opening: Opening, headers: Headers): EraMatch | NoEra | undefined;
  post(context: RequestContext, message: ValidMessage, match: EraMatch): MaybeResponse;
  /** Absent if no revision of the era has batches. */
  readonly postBatch?: (context: RequestContext, values: readonly unknown[]) => MaybeResponse;
  /** Opens a stream. Resolves with undefined if there is nothing to listen to. Absent if the era has no streams. */
  readonly get?: (context: RequestContext) => Promise<Response | undefined>;
  /** Absent if the era has no sessions. */
  readonly endSession?: (context: RequestContext) => Promise<Response>;
}

/** The parts of a message that decide its era. */
export interface Opening {
  readonly method: string | undefined;
  readonly params: unknown;
  /** False for notifications and responses, for which no header rules are defined. */
  readonly isRequest: boolean;
}

export interface EraMatch {
  readonly era: string;
  /** The revision in the header. Without the header, the session may have it. */
  readonly revision?: string | undefined;
  /** Capabilities that the client declares with the request, not validated yet. */
  readonly capabilities?: unknown;
  /** What the client calls itself in the request, not validated yet. */
  readonly clientInfo?: unknown;
}

/** The reply to a message that does not belong to an era: it is malformed, or its revision is not supported. */
export interface NoEra {
  readonly era: "refused";
  readonly status: number;
  readonly error: RpcError;
}

/** A message that is well-formed JSON-RPC. */
export type ValidMessage = Exclude<RpcMessage, { kind: "invalid" }>;
