/** Several messages in one request (2025-03-26, basic, Batching). */
import type { MaybeResponse, RequestContext } from "../../../../http/request-context.ts";
import { empty, json } from "../../../../http/response.ts";
import { type RpcMessage, readRpc } from "../../../json-rpc.ts";
import type { ValidMessage } from "../../transport/era.ts";
import { CODE } from "../../wire/codes.ts";

/** Calls that one request may make: they share its time and its memory. */
const MAX_MESSAGES = 50;

const NO_KEY = {
  code: CODE.invalidRequest,
  message: "The header Idempotency-Key cannot be used with a batch: put _meta.idempotency_key in each call's params",
};

/** @param post answers one message by itself */
export async function answerBatch(
  values: readonly unknown[],
  context: RequestContext,
  post: (message: ValidMessage) => MaybeResponse,
): Promise<Response> {
  const messages = values.map(readRpc);
  // What holds no message at all is no batch, an empty one included.
  if (values.length > MAX_MESSAGES || messages.every(({ kind }) => kind === "invalid")) {
    const error = { code: CODE.invalidRequest, message: `A batch must have 1 to ${MAX_MESSAGES} JSON-RPC messages` };
    return json({ jsonrpc: "2.0", error }, 400);
  }
  // To which of its calls it belongs is not said, and a call that was meant to run once must not run without its key.
  if (context.headers.has("idempotency-key")) return json({ jsonrpc: "2.0", error: NO_KEY }, 400);
  // A batch counts as many requests as it has messages. Its own request was counted at the door.
  const refused = values.length > 1 ? await context.recheck(values.length - 1) : undefined;
  if (refused) return refused;
  const answers = await Promise.all(messages.map((message) => answerOne(message, post)));
  const said = answers.filter((answer) => answer !== undefined);
  // "If the input consists solely of responses or notifications", there is nothing to say.
  return said.length === 0 ? empty(202) : json(said);
}

async function answerOne(message: RpcMessage, post: (message: ValidMessage) => MaybeResponse): Promise<unknown> {
  if (message.kind === "invalid") {
    const { id } = message;
    return {
      jsonrpc: "2.0",
      ...(id !== undefined && { id }),
      error: { code: CODE.invalidRequest, message: message.message },
    };
  }
  // Lifecycle: "The initialize request MUST NOT be part of a JSON-RPC batch".
  if (message.kind === "request" && message.method === "initialize") {
    const { id } = message;
    return { jsonrpc: "2.0", id, error: { code: CODE.invalidRequest, message: "initialize may not be in a batch" } };
  }
  const response = await post(message);
  return response.status === 202 ? undefined : response.json();
}
