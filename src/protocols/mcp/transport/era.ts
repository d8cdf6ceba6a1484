/** An era of MCP as the endpoint serves it: what is its own, and who answers that. Types only. */

import type { MaybeResponse, RequestContext } from "../../../http/request-context.ts";
import type { RpcMessage } from "../../json-rpc.ts";
import type { RpcError } from "../wire/codes.ts";

export interface Era {
  readonly name: string;
  /** Newest first. */
  readonly revisions: readonly string[];
  /**
   * @param header the revision that `MCP-Protocol-Version` names
   * @returns undefined for what may be another era's
   */
  claim(header: string | undefined, opening: Opening, headers: Headers): Claim | Unclaimed | undefined;
  post(context: RequestContext, message: ValidMessage, claim: Claim): MaybeResponse;
  /** Absent where no revision has batches. */
  readonly postBatch?: (context: RequestContext, values: readonly unknown[]) => MaybeResponse;
  /** Answers with a stream; undefined where there is none to listen to. Absent where there never is. */
  readonly get?: (context: RequestContext) => Promise<Response | undefined>;
  /** Absent in an era without sessions. */
  readonly endSession?: (context: RequestContext) => Promise<Response>;
}

/** What of a message decides whose it is. */
export interface Opening {
  readonly method: string | undefined;
  readonly params: unknown;
  /** Notifications and responses: no header rules are defined for them. */
  readonly isRequest: boolean;
}

/** What an era has read of the opening. */
export interface Claim {
  /** Its name. */
  readonly era: string;
  /** As a header names it; a session may know it where the header does not. */
  readonly revision?: string | undefined;
  /** What the client declared beside the request, unread. */
  readonly capabilities?: unknown;
}

/** Of no era: malformed, or of a revision that is not served. */
export interface Unclaimed {
  readonly era: "refused";
  readonly status: number;
  readonly error: RpcError;
}

export type ValidMessage = Exclude<RpcMessage, { kind: "invalid" }>;
