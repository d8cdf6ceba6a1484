/** Progress and log messages on their way to the client: only what it asked for, in order, ahead of the answer. */
import type { Sink } from "../../core/call.ts";
import type { LogLevel } from "../../core/definition.ts";
import { isRecord, type Json } from "../../core/json.ts";
import type { Channel } from "./channel.ts";

/** From the least to the most severe (server/utilities/logging, Log Levels). */
const LEVELS: readonly LogLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export function isLogLevel(level: unknown): level is LogLevel {
  return LEVELS.some((known) => known === level);
}

type Threshold = LogLevel | "never";

export class ClientSink implements Sink {
  readonly #channel: Channel;
  readonly #params: unknown;
  readonly #threshold: () => Promise<Threshold> | Threshold;
  readonly #logger: string;
  #last = Number.NEGATIVE_INFINITY;
  #least: Promise<Threshold> | Threshold | undefined;
  #queue: Promise<void> | undefined;

  /**
   * @param threshold the least severe level that the client wants; `never` for none. Asked when there is something to log
   * @param logger    what messages are said to come from
   */
  constructor(channel: Channel, params: unknown, threshold: () => Promise<Threshold> | Threshold, logger: string) {
    this.#channel = channel;
    this.#params = params;
    this.#threshold = threshold;
    this.#logger = logger;
  }

  progress(progress: number, total: number | undefined, message: string | undefined): void {
    const params = this.#params;
    const { progressToken } = isRecord(params) && isRecord(params._meta) ? params._meta : {};
    // "Progress tokens MUST be a string or integer value" (basic/patterns/progress).
    const wantsProgress = typeof progressToken === "string" || Number.isInteger(progressToken);
    // "The progress value MUST increase with each notification" (basic/utilities/progress).
    if (!wantsProgress || !Number.isFinite(progress) || progress <= this.#last) return;
    this.#last = progress;
    const said = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, total, message },
    };
    // Behind a log message that still waits for its threshold, so that the order stays.
    if (this.#queue) this.#queue = this.#queue.then(() => this.#channel.send(said));
    else this.#channel.send(said);
  }

  log(level: LogLevel, data: Json): void {
    // Once per call: a level that is kept in a session costs a read.
    this.#least ??= this.#threshold();
    const wanted = this.#least;
    const decide = (from: Threshold) => {
      if (from === "never" || LEVELS.indexOf(level) < LEVELS.indexOf(from)) return;
      const params = { level, logger: this.#logger, data };
      this.#channel.send({ jsonrpc: "2.0", method: "notifications/message", params });
    };
    if (this.#queue === undefined && !(wanted instanceof Promise)) decide(wanted);
    // A level that cannot be read must not cost the caller the result.
    else this.#queue = (this.#queue ?? Promise.resolve()).then(() => wanted).then(decide, () => {});
  }

  release(): void {
    this.#channel.release();
  }

  /** Resolves when everything has been said; undefined where it has been. */
  drained(): Promise<void> | undefined {
    return this.#queue;
  }
}
