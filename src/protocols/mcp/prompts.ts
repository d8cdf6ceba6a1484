/** `prompts/list` and `prompts/get` (server/prompts). */
import { isRecord } from "../../core/json.ts";
import type { PromptEntry } from "../../core/offers.ts";
import { getPrompt } from "../../core/prompts.ts";
import type { RpcRequest } from "../json-rpc.ts";
import { blockOf } from "./blocks.ts";
import { invoke } from "./invoke.ts";
import { paged } from "./page.ts";
import { CODE, error, renderOffer } from "./render.ts";
import type { MethodReply, Turn } from "./turn.ts";

export function promptsOf({ visit: { host, toolkit } }: Turn): readonly PromptEntry[] {
  return host.catalog.prompts(toolkit);
}

export function listPrompts({ params }: RpcRequest, turn: Turn): MethodReply {
  const { host, toolkit } = turn.visit;
  const fragments = host.catalog.listing("mcp-prompts", toolkit, () =>
    promptsOf(turn).map(({ name, about }) => JSON.stringify({ name, ...about })),
  );
  return paged("prompts", fragments, params, turn);
}

export async function getPromptOf({ params }: RpcRequest, turn: Turn): Promise<MethodReply> {
  if (!isRecord(params) || typeof params.name !== "string") {
    return error(CODE.invalidParams, "params.name must be a string");
  }
  const { name } = params;
  const args = withoutNulls(params.arguments ?? {});
  if (!isRecord(args) || !Object.values(args).every((value) => typeof value === "string")) {
    return error(CODE.invalidParams, "params.arguments must be an object of strings");
  }
  const entry = promptsOf(turn).find((prompt) => prompt.name === name);
  // server/prompts, Error Handling: "Invalid prompt name: -32602".
  if (entry === undefined) return error(CODE.invalidParams, `Unknown prompt: ${name}`);

  return invoke(turn, {
    method: "prompts/get",
    about: [name, args],
    logger: name,
    params,
    run: async (caller) => ({
      outcome: await getPrompt(entry, args as Record<string, string>, caller, turn.visit.host),
    }),
    render: ({ outcome }) =>
      renderOffer(outcome, turn.manner, turn.visit, (messages) => ({
        description: entry.about.description,
        messages: (messages as unknown[]).map((message) =>
          isRecord(message) ? { ...message, content: blockOf(message.content) } : message,
        ),
      })),
  });
}

/** Some serializers send absent optional members as null. */
function withoutNulls(args: unknown): unknown {
  return isRecord(args) ? Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) : args;
}
