/** A call before it runs: what every protocol's reader makes of its request. Knows no protocol. */

import type { Json } from "../lib/json.ts";
import type { Attachment, LogLevel, Trace } from "./definition.ts";
import type { Capability, Question } from "./elicitation.ts";
import type { Principal } from "./principal.ts";

/** `id` is `Toolkit.Tool`, `name` is `Toolkit_Tool`; `version` as asked for: `1.0.0`, `1`, or absent for the latest. */
export type ToolReference = ({ readonly id: string } | { readonly name: string }) & {
  readonly version?: string | undefined;
};

/** `Toolkit.Tool`, `Toolkit.Tool@1`, `Toolkit.Tool@1.0.0` (OXP 1.0, ToolId). */
const TOOL_ID = /^\w+\.\w+(?:@(?:\d+|\d+\.\d+\.\d+))?$/;

/** @returns undefined for what is no tool id */
export function readToolId(text: string): (ToolReference & { readonly id: string }) | undefined {
  if (!TOOL_ID.test(text)) return undefined;
  const at = text.indexOf("@");
  return at < 0 ? { id: text, version: undefined } : { id: text.slice(0, at), version: text.slice(at + 1) };
}

/** What the caller hands over for tools that require it. Values are never logged. */
export interface CallContext {
  readonly authorization: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, string>;
  readonly userId?: string | undefined;
}

export const NO_CONTEXT: CallContext = { authorization: new Map(), secrets: new Map() };

/** Where progress and log messages go while the tool runs. */
export interface Sink {
  progress(done: number, total: number | undefined, message: string | undefined): void;
  log(level: LogLevel, data: Json): void;
  /** Lets the caller's connection go: what follows waits for it to come back. */
  release(): void;
}

/**
 * Answers the caller sent with the call, unchecked, by question name. `question` is the hash of the question asked;
 * undefined if the caller answered unasked.
 */
export type InputResponses = ReadonlyMap<string, { readonly question: string | undefined; readonly answer: unknown }>;

/** How the caller is asked. Absent where a protocol has no way: asking then ends the call with its questions. */
export interface Elicitation {
  readonly capabilities: ReadonlySet<Capability>;
  readonly answers?: InputResponses;
  /** Asks and waits, where the connection lasts that long. Without it, the call ends with its questions. */
  readonly elicit?: (question: Question) => Promise<unknown>;
}

/** The other end of a call's connection. */
export interface Client {
  /** Fires when the client has gone. May be made when it is asked for, which few calls last long enough to do. */
  readonly signal: AbortSignal;
  /** Whether the client has said already that it wants no answer. */
  readonly isOver?: boolean;
}

/**
 * Whether a call begins its session: a repeat that names no session is then in the same one. `further` if its result may
 * come of more than its input: it goes on with answers, or its time was over while its caller went on with the session.
 */
export type Begins = boolean | "further";

/** Who calls, with what and from where: the same for tools, prompts and resources. */
export interface Caller {
  readonly callId: string;
  /** The way it came in, for the log. */
  readonly protocol: string;
  /** Folder name of the only toolkit whose offers exist for this call; absent for all. */
  readonly toolkit?: string | undefined;
  readonly principal: Principal;
  readonly sessionId?: string | undefined;
  readonly beginsSession?: Begins | undefined;
  readonly context: CallContext;
  readonly attachments?: readonly Attachment[] | undefined;
  /** W3C trace context. Read when it is asked for: few tools do, and a deployment may log nothing. */
  readonly trace?: (() => Trace | undefined) | undefined;
  /** Who waits for the answer. */
  readonly client?: Client | undefined;
  readonly sink?: Sink | undefined;
  readonly elicitation?: Elicitation | undefined;
}

export interface Call extends Caller {
  readonly tool: ToolReference;
  /** As it came in: {@link execute} finds out whether it is an object, and the tool's. */
  readonly input: unknown;
  /** The client's idempotency key. */
  readonly key?: string | undefined;
}
