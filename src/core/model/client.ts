/** The program that a call comes from, as it describes itself. Nothing of it is proven. Types only. */
import type { ClientCapability } from "./elicitation.ts";

/** What a client calls itself: at most 64 characters each, and none that cannot be seen. */
export interface ClientNames {
  /** `claude-ai` */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** For people. */
  readonly title?: string | undefined;
}

export interface ClientInfo extends ClientNames {
  /** That of the call: `mcp`, `oxp` or `opentool`. */
  readonly protocol: string;
  /** That of MCP which the client speaks; undefined if it does not say. */
  readonly revision?: string | undefined;
  /** What the client declares that it can do. Whether a question can be asked in this call: `ctx.canAsk`. */
  readonly capabilities: ReadonlySet<ClientCapability>;
}
