/** Has the core run what a client asked for, be it a tool, a prompt or a resource: who calls, its answers, its news. */
import { type Caller, NO_CONTEXT } from "../../core/call.ts";
import { isRecord } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { after, type Soon } from "../../core/soon.ts";
import { readTrace } from "../http.ts";
import { askingOf, inputRequired, readAnswers } from "./asked.ts";
import { META } from "./era.ts";
import { isLogLevel } from "./levels.ts";
import { CODE, error } from "./render.ts";
import { ClientSink } from "./sink.ts";
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

export function invoke<Ended extends { readonly outcome: Outcome }>(
  turn: Turn,
  subject: Subject,
  run: (caller: Caller) => Soon<Ended>,
  render: (ended: Ended) => MethodReply,
): Soon<MethodReply> {
  const { headers, principal, toolkit } = turn.visit;
  const { params } = subject;
  const _meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const level = _meta?.[META.logLevel];
  if (turn.manner.kind === "modern" && level !== undefined && !isLogLevel(level)) {
    return error(CODE.invalidParams, `params._meta["${META.logLevel}"] is not a log level`);
  }
  const binding = { principal: principal.id, method: subject.method, about: subject.about };
  return after(readAnswers(turn, binding, params as Record<string, unknown>), (read) => {
    if ("refused" in read) return read.refused;
    const sink = turn.alone || turn.manner.kind === "bare" ? undefined : new ClientSink(turn, _meta, subject.logger);
    const running = run({
      callId: crypto.randomUUID(),
      toolkit,
      principal,
      sessionId: turn.session?.id,
      context: NO_CONTEXT,
      // 2026-07-28, basic/index, `_meta`: it may carry the trace too.
      trace: () => readTrace(headers, _meta),
      protocol: "mcp",
      client: turn,
      sink,
      asking: askingOf(turn, read.answers, sink),
    });
    return after(running, (ended) =>
      after(sink?.drained(), () =>
        ended.outcome.kind === "asking" ? inputRequired(turn, binding, ended.outcome) : render(ended),
      ),
    );
  });
}
