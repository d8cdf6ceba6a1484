/** A call before it runs: each protocol turns its requests into this. Independent of any protocol. */

import type { Json } from "../lib/json.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import type { LogLevel, Trace } from "./definition.ts";
import type { ClientCapability, ClientInfo, Question } from "./elicitation.ts";
import type { Principal } from "./principal.ts";

/** `id` is `Toolkit.Tool`, `name` is `Toolkit_Tool`; `version` as requested: `1.0.0`, `1`, or absent for the latest. */
export type ToolReference = ({ readonly id: string } | { readonly name: string }) & {
  readonly version?: string | undefined;
};

/** Credentials and user id that the caller supplies for tools that require them. Values are never logged. */
export interface CallContext {
  readonly authorization: ReadonlyMap<string, string>;
  readonly secrets: ReadonlyMap<string, string>;
  readonly userId?: string | undefined;
}

export const NO_CONTEXT: CallContext = { authorization: new Map(), secrets: new Map() };

export type Values = Readonly<Record<string, string>>;

/** The secrets, authorizations and user id that a tool receives: those that it declared, and no others. */
export interface Granted {
  readonly secrets: Values;
  readonly authorization: Values;
  readonly userId: string | undefined;
  /** The values among them that the caller supplied; undefined if it supplied none. */
  readonly fromCaller: { readonly secrets: Values; readonly authorization: Values } | undefined;
}

export interface Sink {
  progress(done: number, total: number | undefined, message: string | undefined): void;
  log(level: LogLevel, data: Json): void;
  /** Closes the caller's connection; later messages wait until the caller reconnects. */
  release(): void;
}

/**
 * Answers that the caller sent with the call, unchecked, by question name. `question` is the hash of the question that
 * the caller was asked; undefined if it sent the answer without being asked.
 */
export type InputResponses = ReadonlyMap<string, { readonly question: string | undefined; readonly answer: unknown }>;

/** How to ask the caller. Absent if the protocol has no way to ask: then a call that asks ends with its questions. */
export interface Elicitation {
  readonly capabilities: ReadonlySet<ClientCapability>;
  readonly answers?: InputResponses;
  /** Asks over the open connection and waits for the answer. If absent, a call that asks ends with its questions. */
  readonly elicit?: (question: Question) => Promise<unknown>;
  /**
   * Runs `wait` as one of the limited number of waits that a principal may have at a time. Only for clients that are
   * asked over the open connection.
   *
   * @throws {NotAnswered} if there are too many
   */
  readonly whileWaiting?: <Found>(wait: () => Promise<Found>) => Promise<Found>;
  /** Tells the client that its user is done with a page that it was asked to open. */
  readonly visited?: (url: string) => void;
}

export interface Client {
  /** Fires when the client disconnects or cancels. May be created lazily: few calls last long enough to need it. */
  readonly signal: AbortSignal;
  /** Whether the client has already cancelled. */
  readonly isOver?: boolean;
  /** Whether it waits until a long tool ends. Other clients are told after some time to ask again. */
  readonly isPatient?: boolean;
  /** Called when the call has to wait: for its code, for an earlier call with its key, or for its task. */
  onWait?(): void;
  /** Called if the tool still runs after the response: then the room of its input and its answers stays reserved. */
  keepInput?(until: Promise<unknown>): void;
}

/**
 * Whether a call starts its session: a repeat of it that names no session then belongs to the same one. `further` if
 * its result may depend on more than its input: the call continues with answers, or it timed out and its caller used
 * the session before the result was there.
 */
export type Begins = boolean | "further";

/** A file that is attached to a call, as its caller names it. */
export interface FileReference {
  readonly fileId: string;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
  /** Whether the host stores the file, not this deployment. */
  readonly isHosts?: true;
  /** For a host's file: the URL to fetch it from, which differs in each call. */
  readonly download?: string | undefined;
}

/** What identifies the files of a call: all but the URLs, which differ when the same call is sent again. */
export function namesOf(references: readonly FileReference[]): unknown {
  return references.map(({ download, ...name }) => name);
}

/** The part of a call that tools, prompts and resources share: the caller, its credentials, and how it is connected. */
export interface Caller {
  readonly callId: string;
  /** Name of the protocol, for the log. */
  readonly protocol: string;
  /** Folder name of the toolkit that the call is limited to; absent for all. */
  readonly toolkit?: string | undefined;
  readonly principal: Principal;
  readonly sessionId?: string | undefined;
  readonly beginsSession?: Begins | undefined;
  readonly context: CallContext;
  readonly attachments?: readonly FileReference[] | undefined;
  /** The origin of the URL that was called. Lazy, for the reason given at `trace`. */
  readonly origin?: (() => string) | undefined;
  /** Reads the W3C trace context. Lazy: few tools use it, and a deployment may log nothing. */
  readonly trace?: (() => Trace | undefined) | undefined;
  readonly client?: Client | undefined;
  /** What the client says about itself; undefined if its protocol cannot express that. Read lazily, like `trace`. */
  readonly clientInfo?: ClientInfo | undefined;
  readonly sink?: Sink | undefined;
  readonly elicitation?: Elicitation | undefined;
}

export interface Call extends Caller {
  readonly tool: ToolReference;
  /** The tool, if the protocol has looked it up for this caller. */
  readonly entry?: CatalogEntry | undefined;
  /** As sent, unchecked: `execute` validates it. */
  readonly input: unknown;
  /** Whether the response has `callId`: then the caller may repeat the call with it. */
  readonly showsCallId?: true;
  readonly key?: string | undefined;
  /** Whether the caller polls a task instead of waiting for its result. */
  readonly followsTasks?: boolean | undefined;
  /** If this call asks for the result of a task: the id of the task, which an earlier call of this tool started. */
  readonly task?: string | undefined;
  /** Where to send a message when the call has ended. As sent, unchecked. Read only in a deployment with an outbox. */
  readonly callback?: unknown;
}
