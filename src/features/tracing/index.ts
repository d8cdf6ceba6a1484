/**
 * A span for each call, by OpenTelemetry's conventions for MCP, made with the runtime's own tracing. Only forks that
 * turn on `[observability.traces]` bundle this folder.
 */
import { tracing } from "cloudflare:workers";
import { clientLabel, traceOf } from "../../core/call/audit.ts";
import type { Caller } from "../../core/model/call.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import type { Primitive, Tracer } from "../../core/ports/runtime.ts";
import { renderCall, renderPrimitive } from "../../protocols/mcp/methods/render.ts";
import type { Exchange, Subject } from "../../protocols/mcp/transport/exchange.ts";
import type { Feature } from "../feature.ts";

/** Traces requests. Runs of tasks go on after their requests: Workflows traces them. */
export const feature: Feature = {
  aroundWorker: (create) => (deployment) => create({ ...deployment, runtime: { ...deployment.runtime, tracer } }),
};

const tracer: Tracer = {
  inSpan: (work) => tracing.enterSpan("tools/call", work),
  describe(caller, primitive, outcome, replayed) {
    const span = tracing.getActiveSpan();
    // The request is not sampled, or nobody receives traces.
    if (!span?.isTraced) return;
    const method = methodOf(primitive);
    const tool = method === "tools/call" ? primitive?.name : undefined;
    const prompt = method === "prompts/get" ? primitive?.id : undefined;
    const { error, code } = errorOf(caller, primitive, outcome);
    // Use no name that a caller has invented: spans must have few names.
    span.updateName([method, tool ?? prompt].join(" ").trimEnd());
    span.setAttributes({
      "mcp.method.name": method,
      "mcp.protocol.version": caller.clientInfo?.revision,
      "gen_ai.operation.name": method === "tools/call" ? "execute_tool" : undefined,
      "gen_ai.tool.name": tool,
      "gen_ai.prompt.name": prompt,
      "network.protocol.name": "http",
      "network.transport": "tcp",
      "error.type": error,
      "rpc.response.status_code": code,
      "trivet.protocol": caller.protocol,
      "trivet.client": clientLabel(caller),
      "trivet.version": primitive?.version,
      "trivet.outcome": outcome.kind,
      "trivet.reason": outcome.kind === "refused" ? outcome.refusal.reason : undefined,
      "trivet.replayed": replayed,
      // The runtime takes no parent from a request, so this is the link to the caller's trace.
      "trivet.caller.trace_id": traceOf(caller),
    });
    // Leave out the message: it may repeat what a tool has returned.
    if (error !== undefined) span.setStatus({ code: "error" });
  },
};

function methodOf(primitive: Primitive | undefined): string {
  if (primitive?.completion) return "completion/complete";
  if (primitive?.kind === "prompt") return "prompts/get";
  return primitive?.kind === "resource" ? "resources/read" : "tools/call";
}

/**
 * Codes of mistakes of the caller, which are not errors of the server (OpenTelemetry, Semantic conventions for MCP,
 * Server, `rpc.response.status_code`).
 */
const CALLERS_MISTAKES = [-32700, -32600, -32601, -32602, -32002];
/** The same for the other protocols, which have no such codes. */
const CALLERS_REASONS = ["unknown_tool", "unknown_version", "conflict", "scope"];

interface Ended {
  /** `error.type` */
  readonly error?: string;
  /** The code of MCP's error, if that is the reply. */
  readonly code?: string;
}

/**
 * Classifies how a call ended, whatever its HTTP status is. Neither a question to the user nor a task is an error: the
 * call goes on.
 */
function errorOf(caller: Caller, primitive: Primitive | undefined, outcome: Outcome): Ended {
  switch (outcome.kind) {
    case "completed":
    case "asking":
    case "accepted":
      return {};
    case "failed":
    case "invalid":
    case "refused":
    case "timed_out":
    case "cancelled":
      break;
    default:
      outcome satisfies never;
  }
  const code = caller.protocol === "mcp" ? codeOf(caller.client as Exchange, primitive, outcome) : undefined;
  if (code !== undefined) {
    return CALLERS_MISTAKES.includes(code) ? { code: `${code}` } : { code: `${code}`, error: `${code}` };
  }
  const isCallers = outcome.kind === "refused" && CALLERS_REASONS.includes(outcome.refusal.reason);
  return isCallers ? {} : { error: "tool_error" };
}

/** The code of the error that the client gets; undefined if it gets a result that says that the tool failed. */
function codeOf(exchange: Exchange, primitive: Primitive | undefined, outcome: Outcome): number | undefined {
  const isTool = methodOf(primitive) === "tools/call";
  const reply = isTool
    ? renderCall({ outcome, durationMs: 0 }, exchange, NO_SUBJECT)
    : renderPrimitive(outcome, exchange, NO_SUBJECT, () => ({}));
  // Only questions to the user are rendered asynchronously.
  return "error" in reply ? reply.error.code : undefined;
}

/** Only questions to the user have a subject. */
const NO_SUBJECT: Subject = { method: "", about: undefined };
