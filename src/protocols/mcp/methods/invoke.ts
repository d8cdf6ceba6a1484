/** Runs a tool, prompt or resource through the core. Its reply follows everything that was sent during the run. */
import { isRecord } from "../../../core/lib/json.ts";
import { isPromise, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Exchange, MethodReply, Subject } from "../transport/exchange.ts";
import { McpCaller } from "./mcp-caller.ts";

/** One request to run a tool, prompt or resource. */
export interface Invocation<Result> extends Subject {
  /** Name of the logger in log messages. */
  readonly logger: string;
  readonly params: unknown;
  run(caller: McpCaller): MaybePromise<Result>;
  render(result: Result): MaybePromise<MethodReply>;
}

/** Runs an invocation and renders its result. Replies without running it if the answers of its client are invalid. */
export async function invoke<Result>(exchange: Exchange, invocation: Invocation<Result>): Promise<MethodReply> {
  const { params } = invocation;
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const reading = exchange.dialect.readAnswers(exchange, invocation, params, meta);
  const read = isPromise(reading) ? await reading : reading;
  if ("refused" in read) return read.refused;

  const caller = new McpCaller(exchange, meta, read.answers, invocation.logger);
  const running = invocation.run(caller);
  const result = isPromise(running) ? await running : running;
  // Wait until all notifications are sent.
  const draining = caller.drained();
  if (draining) await draining;
  return invocation.render(result);
}
