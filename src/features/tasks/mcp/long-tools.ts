/** `tools/call` of a deployment with long tools: their calls become tasks, which some clients can follow. */
import { isRecord } from "../../../core/lib/json.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Call } from "../../../core/model/call.ts";
import type { CallResult } from "../../../core/model/call-result.ts";
import type { McpCaller } from "../../../protocols/mcp/methods/mcp-caller.ts";
import { isGiven, type MakeCall, ToolCall } from "../../../protocols/mcp/methods/tools.ts";
import type { MethodReply } from "../../../protocols/mcp/transport/exchange.ts";
import { CODE, error } from "../../../protocols/mcp/wire/codes.ts";
import { createdTask, stillWorking } from "./render-task.ts";

/** The extension's identifier (tasks extension, Extension Identifier). */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Whether the client declares the extension with this request, as it must with each. */
export function declaresTasks(params: unknown): boolean {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  const capabilities = meta[CLIENT_CAPABILITIES];
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  return isRecord(extensions) && isRecord(extensions[TASKS_EXTENSION]);
}

/** "Missing required client capability" (tasks extension, Capability Negotiation). */
export function undeclared(): MethodReply {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
  const message = `This needs a client that declares the extension ${TASKS_EXTENSION}`;
  return { ...error(CODE.missingCapability, message, { requiredCapabilities }), status: 400 };
}

/** @param next makes the calls of all other tools */
export const longToolCall =
  (next: MakeCall): MakeCall =>
  (entry, exchange, params, read, input) => {
    if (!entry?.options.long) return next(entry, exchange, params, read, input);
    const { task_id, ...own } = input;
    const task = isGiven(task_id) ? task_id : undefined;
    if (task !== undefined && typeof task !== "string")
      return error(CODE.invalidParams, "arguments.task_id must be a string");
    // Only the era that has the extension has its methods.
    const mayFollow = exchange.context.runtime.tasks !== undefined && exchange.dialect.methods.has("tasks/get");
    const follows = mayFollow && declaresTasks(params);
    if (mayFollow && !follows && entry.options.long === "tasks-only") return undeclared();
    const call = new LongToolCall(exchange, params, read, own);
    call.followsTasks = follows;
    call.task = task;
    return call;
  };

class LongToolCall extends ToolCall {
  followsTasks = false;
  task: string | undefined;

  protected override callOf(caller: McpCaller): Call {
    const { followsTasks, task } = this;
    return Object.assign(super.callOf(caller), { followsTasks, task });
  }

  override render(result: CallResult): MaybePromise<MethodReply> {
    const { outcome } = result;
    if (outcome.kind !== "accepted") return super.render(result);
    return { result: this.followsTasks ? createdTask(outcome.task) : stillWorking(outcome.task) };
  }
}
