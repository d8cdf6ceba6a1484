/** `prompts/list` and `prompts/get` (server/prompts). */
import { getPrompt } from "../../core/call/prompts.ts";
import { isRecord } from "../../core/lib/json.ts";
import type { PromptEntry } from "../../core/model/primitives.ts";
import type { RpcRequest } from "../../protocols/json-rpc.ts";
import { readCaller } from "../../protocols/mcp/methods/mcp-caller.ts";
import { fragments, paginate } from "../../protocols/mcp/methods/paging.ts";
import { renderPrimitive } from "../../protocols/mcp/methods/render.ts";
import type { Exchange, MethodReply } from "../../protocols/mcp/transport/exchange.ts";
import { CODE, error } from "../../protocols/mcp/wire/codes.ts";
import { blockOf } from "../../protocols/mcp/wire/content.ts";

/** Prompts that this request's principal and path can see. */
function promptsOf({ context: { runtime, toolkit } }: Exchange): readonly PromptEntry[] {
  return runtime.catalog.prompts(toolkit);
}

export function listPrompts({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const make = () => promptsOf(exchange).map(({ name, about }) => JSON.stringify({ name, ...about }));
  return paginate("prompts", fragments("mcp-prompts", exchange, make), params, exchange);
}

export async function getPromptOf({ params }: RpcRequest, exchange: Exchange): Promise<MethodReply> {
  if (!isRecord(params) || typeof params.name !== "string") {
    return error(CODE.invalidParams, "params.name must be a string");
  }
  const { name } = params;
  const args = withoutNulls(params.arguments ?? {});
  if (!isRecord(args) || !Object.values(args).every((value) => typeof value === "string")) {
    return error(CODE.invalidParams, "params.arguments must be an object of strings");
  }
  const entry = promptsOf(exchange).find((prompt) => prompt.name === name);
  // server/prompts, Error Handling: "Invalid prompt name: -32602".
  if (entry === undefined) return error(CODE.invalidParams, `Unknown prompt: ${name}`);

  const subject = { method: "prompts/get", about: [name, args] };
  const caller = await readCaller(exchange, subject, params, name);
  if ("refused" in caller) return caller.refused;
  const outcome = await getPrompt(entry, args as Record<string, string>, caller, exchange.context.runtime);
  await caller.drained();
  return renderPrimitive(outcome, exchange, subject, (messages) => ({
    description: entry.about.description,
    messages: (messages as unknown[]).map((message) =>
      isRecord(message) ? { ...message, content: blockOf(message.content) } : message,
    ),
  }));
}

/** Some serializers send absent optional members as null. */
function withoutNulls(args: unknown): unknown {
  return isRecord(args) ? Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) : args;
}
