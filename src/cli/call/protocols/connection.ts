/** What `npm run call` knows about a server, whichever protocol it speaks: types, and the error {@link NotDone}. */
import type { CallContext, JsonSchema } from "../../../client/oxp.ts";

export type { JsonSchema } from "../../../client/oxp.ts";

/** For requests that end only with the signal of their call: the longest that a timer can wait, about 24 days. */
export const NO_LIMIT_MS = 2_147_483_647;

export interface Server {
  /** The URL that the protocols' paths are below, without a slash at its end. */
  readonly base: string;
  /** Sent as a bearer token. */
  readonly key: string | undefined;
  /** Replaces the global `fetch`, to keep the response for `--json`. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Aborted when the call is cancelled or takes too long. Its reason is a {@link NotDone}. */
  readonly signal: AbortSignal;
}

export interface Tool {
  /** As people write it: `Toolkit.Tool`, or its name where a protocol has nothing else. */
  readonly id: string;
  /** The name by which MCP and OpenTool call it. */
  readonly name: string;
  /** Undefined where a protocol does not say it. */
  readonly version?: string | undefined;
  readonly description: string;
  /** JSON Schema of an object: the parameters. */
  readonly input: JsonSchema;
  /** What a caller may have to send. */
  readonly needs?: Needs | undefined;
}

export interface Needs {
  /** Ids of secrets. */
  readonly secrets: readonly string[];
  /** Ids of tokens. */
  readonly tokens: readonly string[];
  readonly userId: boolean;
}

export interface Call {
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  /** Only OXP can send them. */
  readonly values: CallContext | undefined;
  /** Ids of files that were uploaded before. */
  readonly attachments: readonly string[];
}

/** The person at the terminal, while a call runs. */
export interface Person {
  /** Undefined if nobody is there to answer. */
  readonly ask: ((question: Question) => Promise<Answer>) | undefined;
  /** Shows how far the call has come, replacing what it showed before. */
  progress(text: string): void;
  /** Shows a line that stays. */
  say(text: string): void;
}

export type Question =
  | { readonly message: string; readonly form: JsonSchema }
  | { readonly message: string; readonly url: string };

export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}

/** The result of a call. */
export interface Done {
  /** Undefined if the tool returned nothing. */
  readonly value: unknown;
  /** Pictures and the like. */
  readonly files: readonly ResultFile[];
  /** Lines for the person, besides the value. */
  readonly notes: readonly string[];
  readonly response: unknown;
}

export interface ResultFile {
  /** The last part of its address; undefined if it has none. The server wrote it, so it may be anything. */
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

/** Why there is no result. */
export type Reason =
  | "failed"
  | "invalid"
  | "refused"
  | "unauthorized"
  | "unreachable"
  | "timed out"
  | "needs an answer"
  | "cancelled";

/** There is no result. The message is a sentence for the person, without secrets. */
export class NotDone extends Error {
  override readonly name = "NotDone";
  readonly reason: Reason;
  /** Further lines: hints, and what to do. */
  readonly more: readonly string[];
  readonly response: unknown;

  constructor(reason: Reason, message: string, more: readonly string[] = [], response?: unknown) {
    super(message);
    this.reason = reason;
    this.more = more;
    this.response = response;
  }
}

/** A server, over one protocol. All functions throw a {@link NotDone}. */
export interface Connection {
  readonly takesAttachments: boolean;
  /** All tools that this caller may use. */
  tools(): Promise<readonly Tool[]>;
  call(call: Call, person: Person): Promise<Done>;
  /** Closes open streams, which would keep the process alive. */
  close?(): Promise<void>;
}
