/** Handles one request: finds its method in the dialect, runs it, and makes it cancellable. */
import { isRecord } from "../../../core/lib/json.ts";
import { describeError } from "../../../core/lib/log.ts";
import { attempt, isPromise, settlesAtOnce } from "../../../core/lib/maybe-promise.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import { CODE, error } from "../wire/codes.ts";
import { Exchange, type ExchangeFacts, type MethodReply } from "./exchange.ts";
import type { FinalMessage } from "./response-stream.ts";

export async function dispatch(request: RpcRequest, facts: ExchangeFacts): Promise<Response> {
  const exchange = new Exchange(facts);
  const { dialect } = exchange;
  const method = dialect.methods.get(request.method);
  if (method === undefined) {
    const unknown = error(CODE.unknownMethod, `Method not found: ${request.method}`);
    return exchange.respond(finalMessage(request, { ...unknown, status: dialect.unknownMethodStatus }));
  }
  // Check the parameters even for methods that ignore them. Some serializers send null for absent parameters.
  if (request.params != null && !isRecord(request.params)) {
    return exchange.respond(finalMessage(request, error(CODE.invalidParams, "params must be an object")));
  }
  const final = (reply: MethodReply) => finalMessage(request, dialect.finish(reply, exchange));
  const replying = attempt(
    () => method(request, exchange),
    (thrown) => broken(thrown, exchange.context),
  );
  if (!isPromise(replying)) return exchange.respond(final(replying));
  // A method that completes at once is not watched, because no cancellation could arrive in time.
  if (await settlesAtOnce(replying)) {
    exchange.end();
    return exchange.respond(final(await replying));
  }
  const { largeBody } = exchange.context;
  largeBody?.keep();
  replying.then(() => {
    largeBody?.release();
    exchange.end();
  });
  const unwatch = dialect.watch?.(request, exchange);
  const last = replying.then(final);
  return exchange.respond(unwatch ? last.finally(unwatch) : last);
}

/** The reply if a store could not be reached, or if there is a bug: the client still gets a reply with its id. */
function broken(thrown: unknown, { runtime }: RequestContext): MethodReply {
  runtime.log({ level: "error", message: "unhandled", error: describeError(thrown) });
  return { ...error(CODE.internal, "Internal error"), status: 500 };
}

function finalMessage({ id }: RpcRequest, reply: MethodReply): FinalMessage {
  const { status, headers } = reply;
  if ("resultText" in reply) {
    const { resultText, closedBytes } = reply;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    return { text: `${head}${resultText}}`, status, headers, shared: closedBytes && { head, rest: closedBytes } };
  }
  const message =
    "result" in reply ? { jsonrpc: "2.0", id, result: reply.result } : { jsonrpc: "2.0", id, error: reply.error };
  return { text: JSON.stringify(message), status, headers, shared: undefined };
}
