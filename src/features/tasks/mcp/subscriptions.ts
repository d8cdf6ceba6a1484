/** `subscriptions/listen` with task ids: the stream gets each new state of these tasks (Task Status Notifications). */
import { isRecord } from "../../../core/lib/json.ts";
import type { TaskView } from "../../../core/model/call-result.ts";
import type { Tasks } from "../../../core/ports/runtime.ts";
import { json } from "../../../http/response.ts";
import type { EventStream } from "../../../http/sse.ts";
import type { RpcRequest } from "../../../protocols/json-rpc.ts";
import { META } from "../../../protocols/mcp/modern/meta.ts";
import {
  honoured,
  isList,
  MAX_URIS,
  subscribe,
  subscription,
  wantedBy,
} from "../../../protocols/mcp/modern/subscriptions.ts";
import { refuse } from "../../../protocols/mcp/transport/error-response.ts";
import { Exchange, type ExchangeFacts } from "../../../protocols/mcp/transport/exchange.ts";
import { CODE } from "../../../protocols/mcp/wire/codes.ts";
import { declaresTasks, undeclared } from "./long-tools.ts";
import { callerOf } from "./methods.ts";
import { detailedTask } from "./render-task.ts";

const MAX_TASKS = 100;
/** How often it is checked whether a slow client has room for the next state, in milliseconds. */
const ROOM_MS = 100;

export async function subscribeWithTasks(facts: ExchangeFacts, request: RpcRequest): Promise<Response> {
  const { id, params } = request;
  const { context } = facts;
  const filter = isRecord(params) ? params.notifications : undefined;
  const { tasks } = context.runtime;
  if (!isRecord(filter) || filter.taskIds === undefined || tasks === undefined) return subscribe(context, request);
  if (!declaresTasks(params)) return missingCapability(id);
  const wanted = wantedBy(filter, context);
  if (wanted === undefined || !isList(filter.taskIds, MAX_TASKS)) {
    const message =
      `params.notifications must have at most ${MAX_URIS} URIs in resourceSubscriptions and ` +
      `${MAX_TASKS} ids in taskIds`;
    return refuse(400, message, { code: CODE.invalidParams, id });
  }

  const exchange = new Exchange(facts);
  const by = callerOf(exchange);
  const named = [...new Set(filter.taskIds)];
  const taskIds: string[] = [];
  // One after the other: a caller may name a hundred.
  for (const task of named) if (await tasks.watch(task, by)) taskIds.push(task);
  let isOver = false;
  const sendTask = taskSender(tasks, exchange, { _meta: { [META.subscriptionId]: id } }, () => isOver);
  const withTasks = { ...wanted, tasks: taskIds };
  return subscription(
    id,
    context,
    withTasks,
    { ...honoured(wanted), taskIds },
    {
      begin(stream) {
        // A task may have changed since its client last read it.
        for (const task of taskIds) sendTask(task, stream);
      },
      end() {
        isOver = true;
      },
      sends(change, stream) {
        if (change.of !== "task") return false;
        sendTask(change.id, stream);
        return true;
      },
    },
  );
}

/** Sends the states of tasks on a stream: each has the whole task, and none comes twice. */
function taskSender(tasks: Tasks, exchange: Exchange, tagged: Record<string, unknown>, isOver: () => boolean) {
  const by = callerOf(exchange);
  // One after the other, so that no state overtakes a later one.
  let sending = Promise.resolve();
  /** The sequence of the last state that was sent, by task: of two quick changes, both notices find the second. */
  const sent = new Map<string, number>();
  /** Tasks whose state will be sent when it is their turn. */
  const waiting = new Set<string>();
  const send = async (id: string, stream: EventStream) => {
    // A result can have megabytes, and a stream with too many unread bytes is ended as one that nobody reads.
    while (stream.isBehind && !isOver()) await new Promise((resume) => setTimeout(resume, ROOM_MS));
    waiting.delete(id);
    let task: TaskView | undefined;
    do task = isOver() ? undefined : await tasks.read(id, by);
    while (task?.isHeldBack);
    // A task that is forgotten has no state.
    if (task === undefined || task.sequence === sent.get(id)) return;
    sent.set(id, task.sequence);
    const params = { ...tagged, ...(await detailedTask(task, exchange)) };
    stream.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/tasks", params }));
  };
  return (id: string, stream: EventStream): void => {
    if (waiting.has(id)) return;
    waiting.add(id);
    // If a state cannot be read, the client gets the next one.
    sending = sending.then(() => send(id, stream)).catch(() => {});
    exchange.context.runtime.defer(sending);
  };
}

function missingCapability(id: RpcRequest["id"]): Response {
  const reply = undeclared();
  return json({ jsonrpc: "2.0", id, ...("error" in reply && { error: reply.error }) }, reply.status);
}
