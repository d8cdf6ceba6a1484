/** What a method is served with, and what it answers: shared by both eras' tables of methods. */
import type { Ability } from "../../core/ask.ts";
import type { Visit } from "../http.ts";
import type { RpcRequest } from "../json-rpc.ts";
import type { Channel } from "./channel.ts";
import type { Reply } from "./render.ts";
import type { Manner } from "./revisions.ts";
import type { SessionFacts } from "./session.ts";

export interface Turn {
  readonly visit: Visit;
  readonly manner: Manner;
  readonly session: SessionFacts | undefined;
  /** What the client declared that it can be asked. */
  readonly can: ReadonlySet<Ability>;
  /** Absent where the client takes nothing but a single JSON answer. */
  readonly channel: Channel | undefined;
  /** Whether it is a batch's part: headers speak of the whole, and there is no stream. */
  readonly alone: boolean;
  /** Fires when the client has gone, or says that it lost interest. Made when it is asked for. */
  readonly signal: () => AbortSignal;
  /** Whether the client has lost interest already, as far as it has said so. */
  readonly isOver: () => boolean;
}

/** A reply, or one whose `result` is JSON text already: listings are never parsed to be printed again. */
export type MethodReply = (Reply | { readonly resultText: string }) & {
  readonly status?: number;
  readonly headers?: Record<string, string>;
};

export type Method = (request: RpcRequest, turn: Turn) => MethodReply | Promise<MethodReply>;
