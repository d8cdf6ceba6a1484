/** Runs a tool, prompt or resource through the core; replies after everything sent on the way. */
import { isRecord } from "../../../core/lib/json.ts";
import { andThen, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Outcome } from "../../../core/model/outcome.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";
import { CODE, error } from "../wire/codes.ts";
import { isLogLevel } from "../wire/log-levels.ts";
import { META } from "../wire/meta.ts";
import type { About } from "../wire/request-state.ts";
import { inputRequired, type ReadInputResponses, readInputResponses } from "./input-required.ts";
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

export function invoke<Ended extends { readonly outcome: Outcome }>(
  exchange: Exchange,
  subject: Invocation<Ended>,
): MaybePromise<MethodReply> {
  const { params } = subject;
  const _meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const level = _meta?.[META.logLevel] ?? undefined;
  if (exchange.dialect.kind === "modern" && level !== undefined && !isLogLevel(level)) {
    return error(CODE.invalidParams, `params._meta["${META.logLevel}"] is not a log level`);
  }
  const sent = readInputResponses(exchange, subject, params as Record<string, unknown>);
  return andThen(sent, carry<Ended>, exchange, subject, _meta);
}

function carry<Ended extends { readonly outcome: Outcome }>(
  read: ReadInputResponses,
  exchange: Exchange,
  subject: Invocation<Ended>,
  meta: Readonly<Record<string, unknown>> | undefined,
): MaybePromise<MethodReply> {
  if ("refused" in read) return read.refused;
  const caller = new McpCaller(exchange, meta, read.answers, subject.logger);
  return andThen(subject.run(caller), tell<Ended>, caller, subject);
}

/** Behind all that was said on the way. */
function tell<Ended extends { readonly outcome: Outcome }>(
  ended: Ended,
  caller: McpCaller,
  subject: Invocation<Ended>,
): MaybePromise<MethodReply> {
  return andThen(caller.drained(), reply<Ended>, ended, caller, subject);
}

function reply<Ended extends { readonly outcome: Outcome }>(
  _: unknown,
  ended: Ended,
  { client }: McpCaller,
  subject: Invocation<Ended>,
): MaybePromise<MethodReply> {
  return ended.outcome.kind === "asking" ? inputRequired(client, subject, ended.outcome) : subject.render(ended);
}
