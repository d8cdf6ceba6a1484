/** Runs a tool, prompt or resource through the core; replies after everything sent on the way. */
import { isRecord } from "../../../core/lib/json.ts";
import { isPromise, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Outcome } from "../../../core/model/outcome.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";
import { CODE, error } from "../wire/codes.ts";
import { isLogLevel } from "../wire/log-levels.ts";
import { META } from "../wire/meta.ts";
import type { About } from "../wire/request-state.ts";
import { inputRequired, readInputResponses } from "./input-required.ts";
import { McpCaller } from "./mcp-caller.ts";

/** What is asked for. */
export interface Invocation<Ended> extends About {
  /** What log messages are said to come from. */
  readonly logger: string;
  readonly params: unknown;
  /** Handle of the session that it is in, where the client has to bring one. */
  readonly session?: string | undefined;
  run(caller: McpCaller): MaybePromise<Ended>;
  render(ended: Ended): MaybePromise<MethodReply>;
}

export async function invoke<Ended extends { readonly outcome: Outcome }>(
  exchange: Exchange,
  subject: Invocation<Ended>,
): Promise<MethodReply> {
  const { params } = subject;
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const level = meta?.[META.logLevel] ?? undefined;
  if (exchange.dialect.kind === "modern" && level !== undefined && !isLogLevel(level)) {
    return error(CODE.invalidParams, `params._meta["${META.logLevel}"] is not a log level`);
  }
  const reading = readInputResponses(exchange, subject, params as Record<string, unknown>);
  const read = isPromise(reading) ? await reading : reading;
  if ("refused" in read) return read.refused;

  const caller = new McpCaller(exchange, meta, read.answers, subject.logger);
  const running = subject.run(caller);
  const ended = isPromise(running) ? await running : running;
  // Notifications that were sent on the way go out before the reply.
  const draining = caller.drained();
  if (draining) await draining;
  return ended.outcome.kind === "asking" ? inputRequired(exchange, subject, ended.outcome) : subject.render(ended);
}
