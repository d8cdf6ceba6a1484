/** Runs a tool, prompt or resource through the core; replies after everything sent on the way. */
import { isRecord } from "../../../core/lib/json.ts";
import { isPromise, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Subject } from "../transport/dialect.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";
import { McpCaller } from "./mcp-caller.ts";

/** What is asked for. */
export interface Invocation<Ended> extends Subject {
  /** What log messages are said to come from. */
  readonly logger: string;
  readonly params: unknown;
  run(caller: McpCaller): MaybePromise<Ended>;
  render(ended: Ended): MaybePromise<MethodReply>;
}

export async function invoke<Ended>(exchange: Exchange, subject: Invocation<Ended>): Promise<MethodReply> {
  const { params } = subject;
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const reading = exchange.dialect.readBeside(exchange, subject, params, meta);
  const read = isPromise(reading) ? await reading : reading;
  if ("refused" in read) return read.refused;

  const caller = new McpCaller(exchange, meta, read.answers, subject.logger);
  const running = subject.run(caller);
  const ended = isPromise(running) ? await running : running;
  // Notifications that were sent on the way go out before the reply.
  const draining = caller.drained();
  if (draining) await draining;
  return subject.render(ended);
}
