/** `tools/call` of a deployment with long tools: their calls become tasks, which some clients can follow. */
import { isRecord } from "../../../core/lib/json.ts";
import { isGiven, type ReadTool, type RenderAccepted } from "../../../protocols/mcp/methods/tools.ts";
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

/** @param next reads the calls of all other tools */
export const readLongTool =
  (next: ReadTool): ReadTool =>
  (entry, exchange, params, given) => {
    if (!entry?.options.long) return next(entry, exchange, params, given);
    const { task_id, ...input } = given;
    const task = isGiven(task_id) ? task_id : undefined;
    if (task !== undefined && typeof task !== "string")
      return { refused: error(CODE.invalidParams, "arguments.task_id must be a string") };
    // Only the era that has the extension has its methods.
    const mayFollow = exchange.context.runtime.tasks !== undefined && exchange.dialect.methods.has("tasks/get");
    const followsTasks = mayFollow && declaresTasks(params);
    if (mayFollow && !followsTasks && entry.options.long === "tasks-only") return { refused: undeclared() };
    return { input, followsTasks, task };
  };

export const renderAccepted: RenderAccepted = (task, { followsTasks }) => ({
  result: followsTasks ? createdTask(task) : stillWorking(task),
});
