/** Progress and log messages on their way to the client: only what it asked for, in order, ahead of the answer. */
import type { Sink } from "../../core/call.ts";
import type { LogLevel } from "../../core/definition.ts";
import type { Json } from "../../core/json.ts";
import type { Soon } from "../../core/soon.ts";
import { MAX_ECHO } from "../json-rpc.ts";
import { META } from "./era.ts";
import { isAtLeast, isLogLevel } from "./levels.ts";
import { logLevelOf } from "./session.ts";
import type { Turn } from "./turn.ts";

type Threshold = LogLevel | "never";

/** Says nothing to a client that takes no stream. */
export class ClientSink implements Sink {
  readonly #turn: Turn;
  readonly #meta: Readonly<Record<string, unknown>> | undefined;
  readonly #logger: string;
  #last = Number.NEGATIVE_INFINITY;
  #least: Soon<Threshold> | undefined;
  #queue: Promise<void> | undefined;

  /** @param meta `_meta` of the request; @param logger what messages are said to come from */
  constructor(turn: Turn, meta: Readonly<Record<string, unknown>> | undefined, logger: string) {
    this.#turn = turn;
    this.#meta = meta;
    this.#logger = logger;
  }

  progress(progress: number, total: number | undefined, message: string | undefined): void {
    const progressToken = this.#meta?.progressToken;
    // "Progress tokens MUST be a string or integer value" (basic/patterns/progress). One that is long counts as none.
    const isText = typeof progressToken === "string" && progressToken.length <= MAX_ECHO;
    const wantsProgress = isText || Number.isInteger(progressToken);
    // "The progress value MUST increase with each notification" (basic/utilities/progress).
    if (!wantsProgress || !Number.isFinite(progress) || progress <= this.#last) return;
    this.#last = progress;
    const { channel } = this.#turn;
    if (channel === undefined) return;
    const said = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, total, message },
    };
    // Behind a log message that still waits for its threshold, so that the order stays.
    if (this.#queue) this.#queue = this.#queue.then(() => channel.send(said, true));
    else channel.send(said, true);
  }

  log(level: LogLevel, data: Json): void {
    const { channel } = this.#turn;
    if (channel === undefined) return;
    // Once per call: a level that is kept in a session costs a read.
    this.#least ??= this.#threshold();
    const wanted = this.#least;
    const decide = (from: Threshold) => {
      if (from === "never" || !isAtLeast(level, from)) return;
      const params = { level, logger: this.#logger, data };
      channel.send({ jsonrpc: "2.0", method: "notifications/message", params }, true);
    };
    if (this.#queue === undefined && !(wanted instanceof Promise)) decide(wanted);
    // A level that cannot be read must not cost the caller the result.
    else this.#queue = (this.#queue ?? Promise.resolve()).then(() => wanted).then(decide, () => {});
  }

  release(): void {
    this.#turn.channel?.release();
  }

  /** Resolves when everything has been said; undefined where it has been. */
  drained(): Promise<void> | undefined {
    return this.#queue;
  }

  /** The least severe level that the client wants; `never` for none. */
  #threshold(): Soon<Threshold> {
    const { manner, visit, session } = this.#turn;
    // 2026-07-28, server/utilities/logging: without a level on the request, none may be sent.
    if (manner.kind !== "modern") return session ? logLevelOf(visit, session) : "info";
    const level = this.#meta?.[META.logLevel];
    return isLogLevel(level) ? level : "never";
  }
}
