/** Sends progress and log messages to the client: only those that it asked for, in order, before the response. */

import type { Json } from "../../../core/lib/json.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Sink } from "../../../core/model/call.ts";
import type { LogLevel } from "../../../core/model/definition.ts";
import { MAX_ECHO } from "../../json-rpc.ts";
import { isAtLeast } from "../wire/log-levels.ts";
import type { Exchange, LogThreshold, Meta } from "./exchange.ts";

/** The sink of one call. Sends nothing if the client does not accept streams. */
export class NotificationSink implements Sink {
  readonly #exchange: Exchange;
  readonly #meta: Meta;
  readonly #logger: string;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #threshold: MaybePromise<LogThreshold> | undefined;
  #queue: Promise<void> | undefined;

  /** @param meta `_meta` of the request; @param logger name of the logger in log messages */
  constructor(exchange: Exchange, meta: Meta, logger: string) {
    this.#exchange = exchange;
    this.#meta = meta;
    this.#logger = logger;
  }

  progress(progress: number, total: number | undefined, message: string | undefined): void {
    const progressToken = this.#meta?.progressToken;
    // "Progress tokens MUST be a string or integer value" (basic/patterns/progress). A long string is ignored.
    const isText = typeof progressToken === "string" && progressToken.length <= MAX_ECHO;
    const wantsProgress = isText || Number.isInteger(progressToken);
    // "The progress value MUST increase with each notification" (basic/utilities/progress).
    if (!wantsProgress || !Number.isFinite(progress) || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    const { stream } = this.#exchange;
    if (stream === undefined) return;
    const params = { progressToken, progress, total, message };
    const notification = { jsonrpc: "2.0", method: "notifications/progress", params };
    // Keep the order: send it after any log message that still waits for its threshold.
    if (this.#queue) this.#queue = this.#queue.then(() => stream.send(notification, true));
    else stream.send(notification, true);
  }

  log(level: LogLevel, data: Json): void {
    const { stream } = this.#exchange;
    if (stream === undefined) return;
    // Read once per call, because a level stored in a session costs a read.
    this.#threshold ??= this.#exchange.dialect.logThreshold(this.#exchange, this.#meta);
    const threshold = this.#threshold;
    const sendFrom = (from: LogThreshold) => {
      if (from === "never" || !isAtLeast(level, from)) return;
      const params = { level, logger: this.#logger, data };
      stream.send({ jsonrpc: "2.0", method: "notifications/message", params }, true);
    };
    if (this.#queue === undefined && !(threshold instanceof Promise)) sendFrom(threshold);
    // If the level cannot be read, drop the message instead of failing the call.
    else this.#queue = (this.#queue ?? Promise.resolve()).then(() => threshold).then(sendFrom, () => {});
  }

  release(): void {
    this.#exchange.stream?.release();
  }

  /** Resolves when all notifications are sent; undefined if none are waiting. */
  drained(): Promise<void> | undefined {
    return this.#queue;
  }
}
