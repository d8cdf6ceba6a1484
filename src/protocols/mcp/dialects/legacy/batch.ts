/** Several messages in one request (2025-03-26, basic/index, Batching). */
import { settlesAtOnce } from "../../../../core/lib/maybe-promise.ts";
import type { RequestContext } from "../../../../http/request-context.ts";
import { empty, json, jsonText } from "../../../../http/response.ts";
import { type RpcId, type RpcMessage, readRpc } from "../../../json-rpc.ts";
import type { ValidMessage } from "../../transport/era.ts";
import { CODE } from "../../wire/codes.ts";

/** Calls that one request may make: they share its time and its memory. */
const MAX_MESSAGES = 50;

/** Characters that its answers may have together: a call of 100 may be answered with megabytes. */
const MAX_ANSWERS = 10_000_000;

/** Calls that wait side by side: how long their answers are is known when they are made. */
const MAX_WAITING = 4;

const NO_KEY = {
  code: CODE.invalidRequest,
  message: "The header Idempotency-Key cannot be used with a batch: put _meta.idempotency_key in each call's params",
};

/** @param post answers one message by itself */
export async function answerBatch(
  values: readonly unknown[],
  context: RequestContext,
  post: (message: ValidMessage) => Promise<Response>,
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
  const answers = await answerAll(messages, post);
  const said = answers.filter((answer) => answer !== undefined);
  // "If the input consists solely of responses or notifications", there is nothing to say.
  return said.length === 0 ? empty(202) : jsonText(`[${said.join(",")}]`);
}

/** Answers as texts, in the order of the messages; undefined where there is none. */
async function answerAll(
  messages: readonly RpcMessage[],
  post: (message: ValidMessage) => Promise<Response>,
): Promise<(string | undefined)[]> {
  let size = 0;
  const take = async (message: RpcMessage, answer: Promise<Response>): Promise<string | undefined> => {
    const response = await answer;
    if (response.status === 202) return undefined;
    const text = await response.text();
    size += text.length;
    return message.kind === "request" && size > MAX_ANSWERS ? leftOut(message.id, "has run") : text;
  };
  const answers: (string | undefined)[] = [];
  const waiting = new Set<Promise<void>>();
  for (const [place, message] of messages.entries()) {
    if (message.kind === "invalid") {
      answers[place] = refusal(message.id, message.message);
      continue;
    }
    if (waiting.size === MAX_WAITING) await Promise.race(waiting);
    answers[place] = problemOf(message) ?? (size > MAX_ANSWERS ? unrun(message) : undefined);
    if (answers[place] !== undefined) continue;
    const answer = post(message);
    const taken = take(message, answer).then((text) => {
      answers[place] = text;
      waiting.delete(taken);
    });
    waiting.add(taken);
    // One that fails while another is waited for is not unhandled: it fails the batch when its turn comes.
    taken.catch(() => {});
    // What is there at once is counted before the next is made.
    if (await settlesAtOnce(answer)) await taken;
  }
  await Promise.all(waiting);
  return answers;
}

function problemOf(message: ValidMessage): string | undefined {
  // Lifecycle: "The initialize request MUST NOT be part of a JSON-RPC batch".
  if (message.kind !== "request" || message.method !== "initialize") return undefined;
  return refusal(message.id, "initialize may not be in a batch");
}

/** Notifications and responses are heard all the same: they have no answer. */
function unrun(message: RpcMessage): string | undefined {
  return message.kind === "request" ? leftOut(message.id, "was not run") : undefined;
}

function leftOut(id: RpcId, what: string): string {
  return refusal(id, `The answers of this batch are over ${MAX_ANSWERS} characters. This one ${what}: call it alone`);
}

function refusal(id: RpcId | undefined, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: CODE.invalidRequest, message } });
}
