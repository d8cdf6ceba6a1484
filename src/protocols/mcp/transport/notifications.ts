/** Progress and log messages on their way to the client: only what it asked for, in order, ahead of the answer. */

import type { Json } from "../../../core/lib/json.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Sink } from "../../../core/model/call.ts";
import type { LogLevel } from "../../../core/model/definition.ts";
import { MAX_ECHO } from "../../json-rpc.ts";
import { isAtLeast } from "../wire/log-levels.ts";
import type { LogThreshold, Meta } from "./dialect.ts";
import type { Exchange } from "./exchange.ts";

/** Says nothing to a client that takes no stream. */
export class NotificationSink implements Sink {
  readonly #exchange: Exchange;
  readonly #meta: Meta;
  readonly #logger: string;
  #last = Number.NEGATIVE_INFINITY;
  #least: MaybePromise<LogThreshold> | undefined;
  #queue: Promise<void> | undefined;

  /** @param meta `_meta` of the request; @param logger what messages are said to come from */
  constructor(exchange: Exchange, meta: Meta, logger: string) {
    this.#exchange = exchange;
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
    const { stream } = this.#exchange;
    if (stream === undefined) return;
    const said = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, total, message },
    };
    // Behind a log message that still waits for its threshold, so that the order stays.
    if (this.#queue) this.#queue = this.#queue.then(() => stream.send(said, true));
    else stream.send(said, true);
  }

  log(level: LogLevel, data: Json): void {
    const { stream } = this.#exchange;
    if (stream === undefined) return;
    // Once per call: a level that is kept in a session costs a read.
    this.#least ??= this.#exchange.dialect.logThreshold(this.#exchange, this.#meta);
    const wanted = this.#least;
    const decide = (from: LogThreshold) => {
      if (from === "never" || !isAtLeast(level, from)) return;
      const params = { level, logger: this.#logger, data };
      stream.send({ jsonrpc: "2.0", method: "notifications/message", params }, true);
    };
    if (this.#queue === undefined && !(wanted instanceof Promise)) decide(wanted);
    // A level that cannot be read must not cost the caller the result.
    else this.#queue = (this.#queue ?? Promise.resolve()).then(() => wanted).then(decide, () => {});
  }

  release(): void {
    this.#exchange.stream?.release();
  }

  /** Resolves when everything has been said; undefined where it has been. */
  drained(): Promise<void> | undefined {
    return this.#queue;
  }
}
