/** `completion/complete` (server/utilities/completion): values that go on from what a person has begun to type. */

import { faultOf } from "../../core/fault.ts";
import { isRecord } from "../../core/json.ts";
import { describeError } from "../../core/log.ts";
import type { RpcRequest } from "../json-rpc.ts";
import { promptsOf } from "./prompts.ts";
import { CODE, error } from "./render.ts";
import { resourcesOf } from "./resources.ts";
import type { MethodReply, Turn } from "./turn.ts";

/** "Maximum 100 items per response" (Completion Results). */
const MAX_VALUES = 100;

type Completer = (begun: string, others: Record<string, string>) => readonly string[] | Promise<readonly string[]>;

export async function complete({ params }: RpcRequest, turn: Turn): Promise<MethodReply> {
  const { ref, argument, context } = isRecord(params) ? params : {};
  if (
    !isRecord(ref) ||
    !isRecord(argument) ||
    typeof argument.name !== "string" ||
    typeof argument.value !== "string"
  ) {
    return error(CODE.invalidParams, "params.ref and params.argument must name what to complete");
  }
  const found = completer(ref, argument.name, turn);
  if (found === undefined) return error(CODE.invalidParams, "There is nothing of that reference to complete");
  const others = isRecord(context) && isRecord(context.arguments) ? context.arguments : {};
  let values: readonly string[] = [];
  try {
    values = await found(argument.value, others as Record<string, string>);
  } catch (thrown) {
    // Suggestions are a courtesy: a person types on without them.
    if (!faultOf(thrown, String))
      turn.visit.host.log({ level: "error", message: "completion failed", error: describeError(thrown) });
  }
  const shown = values.slice(0, MAX_VALUES);
  return { result: { completion: { values: shown, total: values.length, hasMore: shown.length < values.length } } };
}

function completer(ref: Record<string, unknown>, name: string, turn: Turn): Completer | undefined {
  if (ref.type === "ref/prompt") {
    const entry = promptsOf(turn).find((prompt) => prompt.name === ref.name);
    if (!entry?.about.arguments.some((argument) => argument.name === name)) return undefined;
    return async (...begun) => (await entry.load()).default.arguments?.[name]?.complete?.(...begun) ?? [];
  }
  if (ref.type !== "ref/resource") return undefined;
  const entry = resourcesOf(turn).find((resource) => resource.uri === ref.uri);
  if (!entry?.uri.includes(`{${name}}`)) return undefined;
  return async (...begun) => (await entry.load()).default.complete?.[name]?.(...begun) ?? [];
}
