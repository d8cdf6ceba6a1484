/** Has the core run what a client asked for, be it a tool, a prompt or a resource: who calls, its answers, its news. */
import { type Caller, NO_CONTEXT } from "../../core/call.ts";
import { isRecord } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { readTrace } from "../http.ts";
import { askingOf, inputRequired, readAnswers } from "./asked.ts";
import { META } from "./era.ts";
import { CODE, error } from "./render.ts";
import { logLevelOf } from "./session.ts";
import { ClientSink, isLogLevel } from "./sink.ts";
import type { MethodReply, Turn } from "./turn.ts";

/** What is asked for. */
export interface Subject {
  readonly method: string;
  /** What makes the request what it is: a state that the client carries fits no other. */
  readonly about: unknown;
  /** What log messages are said to come from. */
  readonly logger: string;
  readonly params: unknown;
}

export async function invoke<Ended extends { readonly outcome: Outcome }>(
  turn: Turn,
  { method, about, logger, params }: Subject,
  run: (caller: Caller) => Promise<Ended>,
  render: (ended: Ended) => MethodReply,
): Promise<MethodReply> {
  const { request, principal, toolkit } = turn.visit;
  const binding = { principal: principal.id, method, about };
  const reading = readAnswers(turn, binding, params as Record<string, unknown>);
  const read = reading instanceof Promise ? await reading : reading;
  if ("refused" in read) return read.refused;
  const sink = sinkOf(turn, params, logger);
  if (sink === "bad level") return error(CODE.invalidParams, `params._meta["${META.logLevel}"] is not a log level`);
  const ended = await run({
    callId: crypto.randomUUID(),
    toolkit,
    principal,
    sessionId: turn.session?.id,
    context: NO_CONTEXT,
    // 2026-07-28, basic/index, `_meta`: it may carry the trace too.
    trace: readTrace(request.headers, isRecord(params) && isRecord(params._meta) ? params._meta : undefined),
    protocol: "mcp",
    signal: turn.signal,
    isOver: turn.isOver,
    sink,
    asking: askingOf(turn, read.answers, sink),
  });
  const saying = sink?.drained();
  if (saying) await saying;
  return ended.outcome.kind === "asking" ? inputRequired(turn, binding, ended.outcome) : render(ended);
}

/** Where progress and logs of a call go; undefined where the client takes none. */
function sinkOf(turn: Turn, params: unknown, logger: string): ClientSink | undefined | "bad level" {
  const { channel, visit, session, manner } = turn;
  const level = isRecord(params) && isRecord(params._meta) ? params._meta[META.logLevel] : undefined;
  if (manner.kind === "modern" && level !== undefined && !isLogLevel(level)) return "bad level";
  if (channel === undefined || manner.kind === "bare") return undefined;
  const threshold = () => {
    // 2026-07-28, server/utilities/logging: without a level on the request, none may be sent.
    if (manner.kind === "modern") return isLogLevel(level) ? level : "never";
    return session ? logLevelOf(visit, session) : "info";
  };
  return new ClientSink(channel, params, threshold, logger);
}
