/** Renders tasks: those that a client follows (tasks extension, Tasks), and those that it cannot. */

import { mayContinue } from "../../../core/idempotency/idempotency.ts";
import { isPromise } from "../../../core/lib/maybe-promise.ts";
import type { TaskView } from "../../../core/model/call-result.ts";
import type { TaskState } from "../../../core/model/task-state.ts";
import { renderCall } from "../../../protocols/mcp/methods/render.ts";
import { withHandle } from "../../../protocols/mcp/methods/tools.ts";
import type { Exchange, Subject } from "../../../protocols/mcp/transport/exchange.ts";
import { handleOf } from "../../../protocols/mcp/transport/tool-session.ts";
import { toRequest } from "../../../protocols/mcp/wire/capabilities.ts";
import { CODE, type Rendered } from "../../../protocols/mcp/wire/codes.ts";

/** The result of a call that goes on as a task (tasks extension, Task Creation). */
export function createdTask(task: TaskState): Record<string, unknown> {
  return { resultType: "task", ...seed(task), status: task.status };
}

/** The whole state of a task (tasks extension, Task Status, DetailedTask). */
export async function detailedTask(task: TaskView, exchange: Exchange): Promise<Record<string, unknown>> {
  const { status, questions, result, message } = task;
  const base = { ...seed(task), status };
  switch (status) {
    case "working":
      return base;
    case "input_required": {
      const requests = Array.from(questions, ([name, question]) => [name, toRequest(question, true)]);
      return { ...base, inputRequests: Object.fromEntries(requests) };
    }
    case "cancelled":
      return { ...base, statusMessage: "The call was cancelled" };
    case "failed":
      return { ...base, error: { code: CODE.internal, message } };
    case "completed": {
      if (result === undefined) throw new TypeError("a completed task has no result");
      const rendering = renderCall(result, exchange, NO_SUBJECT);
      const bare = isPromise(rendering) ? await rendering : rendering;
      const { session } = task;
      const handle =
        session && mayContinue(session, exchange.context) ? await handleOf(exchange.context, session.id) : undefined;
      const reply = handle === undefined ? bare : (withHandle(bare, handle) as Rendered);
      if ("result" in reply) return { ...base, result: { resultType: "complete", ...reply.result } };
      // "If the underlying request resulted in a JSON-RPC error, the task uses `failed` status".
      return { ...base, status: "failed", statusMessage: reply.error.message, error: reply.error };
    }
  }
}

/** Only a call that asks its client to repeat it needs its subject. A task never does. */
const NO_SUBJECT: Subject = { method: "tools/call", about: undefined };

function seed({ id, message, createdAt, updatedAt, expiresAt, pollMs }: TaskState) {
  return {
    taskId: id,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: expiresAt - createdAt,
    pollIntervalMs: pollMs,
  };
}

/** Renders a task for a client without tasks: an ordinary result that tells the model how to get the real one. */
export function stillWorking({ id, entry, message, pollMs }: TaskState): Record<string, unknown> {
  const state = message === undefined ? "Still working." : `Still working: ${message}`;
  const how = `Call ${entry.name} again with the same arguments and task_id "${id}" to get the result.`;
  return { content: [{ type: "text", text: `${state}\n${how}` }], _meta: { task_id: id, retry_after_ms: pollMs } };
}
