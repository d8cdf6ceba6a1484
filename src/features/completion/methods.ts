/** `completion/complete` (server/utilities/completion): suggestions for what a person is typing. */

import { type Completer, completeArgument, completeVariable, type PartialInput } from "../../core/call/completion.ts";
import { isRecord } from "../../core/lib/json.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import type { RpcRequest } from "../../protocols/json-rpc.ts";
import { readCaller } from "../../protocols/mcp/methods/mcp-caller.ts";
import { renderPrimitive } from "../../protocols/mcp/methods/render.ts";
import type { Exchange, MethodReply } from "../../protocols/mcp/transport/exchange.ts";
import { CODE, error } from "../../protocols/mcp/wire/codes.ts";

/** "Maximum 100 items per response" (Completion Results). */
const MAX_VALUES = 100;

/** `completion/complete`: suggests values for an argument of a prompt or a variable of a resource template. */
export async function complete({ params }: RpcRequest, exchange: Exchange): Promise<MethodReply> {
  const { ref, argument, context } = isRecord(params) ? params : {};
  const { name, value } = isRecord(argument) ? argument : {};
  if (!isRecord(ref) || typeof name !== "string" || typeof value !== "string") {
    return error(CODE.invalidParams, "params.ref and params.argument must name what to complete");
  }
  const others = isRecord(context) && isRecord(context.arguments) ? context.arguments : {};
  if (!Object.values(others).every((other) => typeof other === "string")) {
    return error(CODE.invalidParams, "params.context.arguments must be an object of strings");
  }
  const run = completer(ref, { name, value, others: others as PartialInput["others"] }, exchange);
  if (run === undefined)
    return error(CODE.invalidParams, "There is nothing to complete for these params.ref and params.argument");
  const subject = { method: "completion/complete", about: [ref, argument, others] };
  const logger = String(ref.type === "ref/prompt" ? ref.name : ref.uri);
  const caller = await readCaller(exchange, subject, params, logger);
  if ("refused" in caller) return caller.refused;
  const outcome = suggestions(await run(caller));
  await caller.drained();
  return renderPrimitive(outcome, exchange, subject, completion);
}

/** @returns undefined if the prompt or resource does not exist, or has no such argument or variable */
function completer(ref: Record<string, unknown>, typed: PartialInput, exchange: Exchange): Completer | undefined {
  const { runtime, toolkit } = exchange.context;
  if (ref.type === "ref/prompt") {
    const entry = runtime.catalog.prompts(toolkit).find((prompt) => prompt.name === ref.name);
    return entry && completeArgument(entry, typed, runtime);
  }
  if (ref.type !== "ref/resource") return undefined;
  const entry = runtime.catalog.resources(toolkit).find((resource) => resource.uri === ref.uri);
  return entry && completeVariable(entry, typed, runtime);
}

/** Completion is optional, so if it fails, the client gets an empty list. */
function suggestions(outcome: Outcome): Outcome {
  const isRefused = outcome.kind === "refused" && outcome.refusal.reason !== "capability";
  return isRefused || outcome.kind === "completed" ? outcome : { kind: "completed", value: [] };
}

function completion(value: unknown): Record<string, unknown> {
  const all = value as readonly string[];
  const values = all.slice(0, MAX_VALUES);
  return { completion: { values, total: all.length, hasMore: values.length < all.length } };
}
