/** Runs a tool, prompt or resource through the core; replies after everything sent on the way. */
import { isRecord } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { after, type Soon } from "../../core/soon.ts";
import { inputRequired, type ReadAnswers, readAnswers } from "./asked.ts";
import { McpCaller } from "./caller.ts";
import { META } from "./era.ts";
import { isLogLevel } from "./levels.ts";
import { CODE, error } from "./render.ts";
import type { About } from "./request-state.ts";
import type { MethodReply, Turn } from "./turn.ts";

/** What is asked for. */
export interface Subject<Ended> extends About {
  /** What log messages are said to come from. */
  readonly logger: string;
  readonly params: unknown;
  /** Handle of the session that it is in, where the client has to bring one. */
  readonly session?: string | undefined;
  run(caller: McpCaller): Soon<Ended>;
  render(ended: Ended): Soon<MethodReply>;
}

export function invoke<Ended extends { readonly outcome: Outcome }>(
  turn: Turn,
  subject: Subject<Ended>,
): Soon<MethodReply> {
  const { params } = subject;
  const _meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const level = _meta?.[META.logLevel] ?? undefined;
  if (turn.manner.kind === "modern" && level !== undefined && !isLogLevel(level)) {
    return error(CODE.invalidParams, `params._meta["${META.logLevel}"] is not a log level`);
  }
  const sent = readAnswers(turn, subject, params as Record<string, unknown>);
  return after(sent, carry<Ended>, turn, subject, _meta);
}

function carry<Ended extends { readonly outcome: Outcome }>(
  read: ReadAnswers,
  turn: Turn,
  subject: Subject<Ended>,
  meta: Readonly<Record<string, unknown>> | undefined,
): Soon<MethodReply> {
  if ("refused" in read) return read.refused;
  const caller = new McpCaller(turn, meta, read.answers, subject.logger);
  return after(subject.run(caller), tell<Ended>, caller, subject);
}

/** Behind all that was said on the way. */
function tell<Ended extends { readonly outcome: Outcome }>(
  ended: Ended,
  caller: McpCaller,
  subject: Subject<Ended>,
): Soon<MethodReply> {
  return after(caller.drained(), reply<Ended>, ended, caller, subject);
}

function reply<Ended extends { readonly outcome: Outcome }>(
  _: unknown,
  ended: Ended,
  { client }: McpCaller,
  subject: Subject<Ended>,
): Soon<MethodReply> {
  return ended.outcome.kind === "asking" ? inputRequired(client, subject, ended.outcome) : subject.render(ended);
}
