/** The methods of the tasks extension: `tasks/get`, `tasks/update` and `tasks/cancel`. */
import { isRecord } from "../../../core/lib/json.ts";
import type { Tasks } from "../../../core/ports/runtime.ts";
import { announcing } from "../../../protocols/mcp/methods/announcing.ts";
import { decodeHeaderValue, mismatch } from "../../../protocols/mcp/modern/header-checks.ts";
import type { NoEra, Opening } from "../../../protocols/mcp/transport/era.ts";
import type { Exchange, Method, MethodReply } from "../../../protocols/mcp/transport/exchange.ts";
import { CODE, error } from "../../../protocols/mcp/wire/codes.ts";
import { declaresTasks, TASKS_EXTENSION, undeclared } from "./long-tools.ts";
import { detailedTask } from "./render-task.ts";

/** @param plain the methods of the era */
export function methodsWithTasks(plain: ReadonlyMap<string, Method>): ReadonlyMap<string, Method> {
  return new Map([
    ...plain,
    ...announcing(plain, TASKS_EXTENSION, {}, hasTasks),
    ["tasks/get", ofTask(get)],
    ["tasks/update", ofTask(update)],
    ["tasks/cancel", ofTask(cancel)],
  ]);
}

/** One bundle serves all environments. If no tool is long, some of them may not have what tasks need. */
function hasTasks(_request: unknown, { context }: Exchange): boolean {
  return context.runtime.tasks !== undefined;
}

type TaskMethod = (
  id: string,
  tasks: Tasks,
  exchange: Exchange,
  params: Record<string, unknown>,
) => Promise<MethodReply>;

function ofTask(method: TaskMethod): Method {
  return (request, exchange) => {
    const { params } = request;
    const { tasks } = exchange.context.runtime;
    if (tasks === undefined) {
      return { ...error(CODE.unknownMethod, `Method not found: ${request.method}`), status: 404 };
    }
    if (!declaresTasks(params)) return undeclared();
    if (!isRecord(params) || typeof params.taskId !== "string") {
      return error(CODE.invalidParams, "params.taskId must be a string");
    }
    return method(params.taskId, tasks, exchange, params);
  };
}

async function get(id: string, tasks: Tasks, exchange: Exchange): Promise<MethodReply> {
  const task = await tasks.read(id, callerOf(exchange));
  return task ? { result: await detailedTask(task, exchange) } : unknownTask();
}

async function update(
  id: string,
  tasks: Tasks,
  exchange: Exchange,
  { inputResponses }: Record<string, unknown>,
): Promise<MethodReply> {
  if (!isRecord(inputResponses)) return error(CODE.invalidParams, "params.inputResponses must be an object");
  const answered = await tasks.answer(id, new Map(Object.entries(inputResponses)), callerOf(exchange));
  if (typeof answered === "object") return error(CODE.internal, answered.message);
  return answered ? { result: {} } : unknownTask();
}

async function cancel(id: string, tasks: Tasks, exchange: Exchange): Promise<MethodReply> {
  return (await tasks.cancel(id, callerOf(exchange))) ? { result: {} } : unknownTask();
}

export function callerOf({ context }: Pick<Exchange, "context">) {
  const { runtime, principal, toolkit } = context;
  return { caller: { principal, toolkit }, runtime };
}

function unknownTask(): MethodReply {
  return error(CODE.invalidParams, "Task not found: it does not exist, has expired, or belongs to another caller");
}

/** "The client MUST set the `Mcp-Name` header to the value of `params.taskId`" (Streamable HTTP: Routing Headers). */
export function wrongTaskName({ method, params, isRequest }: Opening, headers: Headers): NoEra | undefined {
  const isOfTask = method === "tasks/get" || method === "tasks/update" || method === "tasks/cancel";
  if (!isRequest || !isOfTask || !isRecord(params) || typeof params.taskId !== "string") return undefined;
  const raw = headers.get("mcp-name")?.trim();
  const name = raw === undefined ? undefined : decodeHeaderValue(raw);
  return name === params.taskId ? undefined : mismatch("Mcp-Name", raw, params.taskId);
}
