/** A call before it runs: what every protocol's reader makes of its request. Knows no protocol. */
import type { Attachment, LogLevel, Principal, Trace } from "./definition.ts";
import type { Json } from "./json.ts";

/** `id` is `Toolkit.Tool`, `name` is `Toolkit_Tool`; `version` as asked for: `1.0.0`, `1`, or absent for the latest. */
export type ToolReference = ({ readonly id: string } | { readonly name: string }) & {
  readonly version?: string | undefined;
};

/** What the caller hands over for tools that require it. Values are never logged. */
export interface CallContext {
  readonly authorization: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, string>;
  readonly userId?: string | undefined;
}

export const NO_CONTEXT: CallContext = { authorization: new Map(), secrets: new Map() };

/** Where progress and log messages go while the tool runs; absent when the caller asked for neither. */
export interface Sink {
  progress(done: number, total: number | undefined, message: string | undefined): void;
  log(level: LogLevel, data: Json): void;
}

export interface Call {
  readonly callId: string;
  readonly tool: ToolReference;
  /** Folder name of the only toolkit whose tools exist for this call; absent for all. */
  readonly toolkit?: string | undefined;
  /** As it came in: {@link execute} finds out whether it is an object, and the tool's. */
  readonly input: unknown;
  /** The client's idempotency key. */
  readonly key?: string | undefined;
  readonly principal: Principal;
  readonly sessionId?: string | undefined;
  readonly context: CallContext;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly trace?: Trace | undefined;
  /** Fires when the caller has gone. */
  readonly signal?: AbortSignal | undefined;
  readonly sink?: Sink | undefined;
}
