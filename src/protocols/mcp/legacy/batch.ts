/** Answers batches: several messages in one request (2025-03-26, basic/index, Batching). */
import { settlesAtOnce } from "../../../core/lib/maybe-promise.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { empty, json, jsonText } from "../../../http/response.ts";
import { jsonInTime } from "../../../http/slow-json.ts";
import { type RpcId, type RpcMessage, readRpc } from "../../json-rpc.ts";
import type { ValidMessage } from "../transport/era.ts";
import { CODE } from "../wire/codes.ts";

/** Most messages in one batch, because they share the time and memory of one request. */
const MAX_MESSAGES = 50;

/** Most characters in all responses of a batch: a call of 100 characters can have a result of megabytes. */
const MAX_ANSWERS = 10_000_000;

/** Most calls that run at the same time, because the size of a response is known only when the call has ended. */
const MAX_WAITING = 4;

const NO_KEY = {
  code: CODE.invalidRequest,
  message: "The header Idempotency-Key cannot be used with a batch: put _meta.idempotency_key in each call's params",
};

/** @param post handles a single message */
export async function answerBatch(
  values: readonly unknown[],
  context: RequestContext,
  post: (message: ValidMessage) => Promise<Response>,
): Promise<Response> {
  const messages = values.map(readRpc);
  // A list without a valid message, such as an empty one, is not a batch.
  if (values.length > MAX_MESSAGES || messages.every(({ kind }) => kind === "invalid")) {
    const error = { code: CODE.invalidRequest, message: `A batch must have 1 to ${MAX_MESSAGES} JSON-RPC messages` };
    return json({ jsonrpc: "2.0", error }, 400);
  }
  // The key cannot be assigned to one of the calls, and a call that should run once must not run without its key.
  if (context.headers.has("idempotency-key")) return json({ jsonrpc: "2.0", error: NO_KEY }, 400);
  // A batch counts as many requests as it has messages. The request itself was counted when it arrived.
  const refused = values.length > 1 ? await context.recheck(values.length - 1) : undefined;
  if (refused) return refused;
  return jsonInTime(context, async (client) => {
    client.onWait();
    const texts = await answerAll(messages, post);
    // "If the input consists solely of responses or notifications", the response has no body. If a body has already
    // begun, it must be JSON: clients read no message from an empty list.
    return texts.length === 0 && !client.hasBegun ? empty(202) : jsonText(`[${texts.join(",")}]`);
  });
}

/** Responses as JSON texts, in the order of the messages. Some messages have no response. */
async function answerAll(
  messages: readonly RpcMessage[],
  post: (message: ValidMessage) => Promise<Response>,
): Promise<string[]> {
  let size = 0;
  const take = async (message: RpcMessage, answer: Promise<Response>): Promise<string | undefined> => {
    const response = await answer;
    if (response.status === 202) return undefined;
    const text = await response.text();
    size += text.length;
    return message.kind === "request" && size > MAX_ANSWERS ? tooLarge(message.id, "has run") : text;
  };
  const answers: (string | undefined)[] = [];
  const waiting = new Set<Promise<void>>();
  for (const [place, message] of messages.entries()) {
    if (message.kind === "invalid") {
      answers[place] = refusal(message.id, message.message);
      continue;
    }
    if (waiting.size === MAX_WAITING) await Promise.race(waiting);
    answers[place] = problemOf(message) ?? (size > MAX_ANSWERS ? skip(message) : undefined);
    if (answers[place] !== undefined) continue;
    const answer = post(message);
    const taken = take(message, answer).then((text) => {
      answers[place] = text;
      waiting.delete(taken);
    });
    waiting.add(taken);
    // Prevent an unhandled rejection while another call is awaited. The batch fails when it awaits this one.
    taken.catch(() => {});
    // Count a response that arrives at once before the next call starts.
    if (await settlesAtOnce(answer)) await taken;
  }
  await Promise.all(waiting);
  return answers.filter((answer) => answer !== undefined);
}

function problemOf(message: ValidMessage): string | undefined {
  // Lifecycle: "The initialize request MUST NOT be part of a JSON-RPC batch".
  if (message.kind !== "request" || message.method !== "initialize") return undefined;
  return refusal(message.id, "initialize must not be part of a batch");
}

/** Skips a request. Notifications and responses are still handled, because they have no response. */
function skip(message: RpcMessage): string | undefined {
  return message.kind === "request" ? tooLarge(message.id, "was not run") : undefined;
}

function tooLarge(id: RpcId, what: string): string {
  const message = `The responses of this batch exceed ${MAX_ANSWERS} characters. This call ${what}: send it on its own`;
  return refusal(id, message);
}

function refusal(id: RpcId | undefined, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: CODE.invalidRequest, message } });
}
