/** Progress and log messages on their way to the client: only what it asked for, in order, ahead of the answer. */
import type { Sink } from "../../core/call.ts";
import type { LogLevel } from "../../core/definition.ts";
import { isRecord } from "../../core/json.ts";
import type { Channel } from "./channel.ts";

/** From the least to the most severe (server/utilities/logging, Log Levels). */
const LEVELS: readonly LogLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export function isLogLevel(level: unknown): level is LogLevel {
  return LEVELS.some((known) => known === level);
}

export interface ClientSink extends Sink {
  /** Resolves when everything has been said; undefined where it has been. */
  drained(): Promise<void> | undefined;
}

/**
 * @param threshold the least severe level that the client wants; `never` for none. Asked when there is something to log
 * @param logger    what messages are said to come from
 */
export function clientSink(
  channel: Channel,
  params: unknown,
  threshold: () => Promise<LogLevel | "never"> | LogLevel | "never",
  logger: string,
): ClientSink {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  const { progressToken } = meta;
  // "Progress tokens MUST be a string or integer value" (basic/patterns/progress).
  const wantsProgress = typeof progressToken === "string" || Number.isInteger(progressToken);
  let last = Number.NEGATIVE_INFINITY;
  let least: ReturnType<typeof threshold> | undefined;
  let queue: Promise<void> | undefined;
  const notify = (method: string, of: Record<string, unknown>) => {
    const message = { jsonrpc: "2.0", method: `notifications/${method}`, params: of };
    // Behind a log message that still waits for its threshold, so that the order stays.
    if (queue) queue = queue.then(() => channel.send(message));
    else channel.send(message);
  };
  return {
    progress(done, total, message) {
      // "The progress value MUST increase with each notification" (basic/utilities/progress).
      if (!wantsProgress || !Number.isFinite(done) || done <= last) return;
      last = done;
      notify("progress", { progressToken, progress: done, total, message });
    },
    log(level, data) {
      // Once per call: a level that is kept in a session costs a read.
      least ??= threshold();
      const wanted = least;
      const decide = (from: LogLevel | "never") => {
        if (from === "never" || LEVELS.indexOf(level) < LEVELS.indexOf(from)) return;
        channel.send({ jsonrpc: "2.0", method: "notifications/message", params: { level, logger, data } });
      };
      if (queue === undefined && !(wanted instanceof Promise)) decide(wanted);
      // A level that cannot be read must not cost the caller the result.
      else queue = (queue ?? Promise.resolve()).then(() => wanted).then(decide, () => {});
    },
    release: () => channel.release(),
    drained: () => queue,
  };
}
