/** `subscriptions/listen`: a stream that stays open for what was asked for (basic/patterns/subscriptions). */

import { isRecord } from "../../../../core/lib/json.ts";
import { MAX_SUBSCRIBED_URI } from "../../../../core/model/change.ts";
import { partitionOf } from "../../../../core/model/principal.ts";
import type { Wanted } from "../../../../core/ports/change-feed.ts";
import type { RequestContext } from "../../../../http/request-context.ts";
import type { EventStream } from "../../../../http/sse.ts";
import type { RpcId, RpcRequest } from "../../../json-rpc.ts";
import { type Listening, listen, mayRead, notification } from "../../transport/news.ts";
import { refuse, tooManyStreams } from "../../transport/refuse.ts";
import { CODE } from "../../wire/codes.ts";
import { META } from "./meta.ts";

/** Resources that one subscription may name. */
const MAX_URIS = 100;

export async function subscribe(context: RequestContext, request: RpcRequest): Promise<Response> {
  const listening = await listenToSubscription(context, request);
  if (listening === "malformed") {
    const message = "params.notifications must be an object of what to listen for";
    return refuse(400, message, { code: CODE.invalidParams, id: request.id });
  }
  return listening instanceof Response ? listening : tooManyStreams(request.id);
}

/** The acknowledgement first, then what was asked for and nothing else. */
async function listenToSubscription(
  context: RequestContext,
  { id, params }: RpcRequest,
): Promise<Listening | "malformed"> {
  const filter = isRecord(params) ? params.notifications : undefined;
  if (!isRecord(filter)) return "malformed";
  const uris = filter.resourceSubscriptions ?? [];
  if (!Array.isArray(uris) || uris.length > MAX_URIS || !uris.every((uri) => typeof uri === "string"))
    return "malformed";
  const { runtime, principal } = context;
  const wanted: Wanted = {
    tools: filter.toolsListChanged === true,
    prompts: filter.promptsListChanged === true,
    resources: filter.resourcesListChanged === true,
    // Only what this path offers and the client may read: of another toolkit's resources not even changes are told.
    uris: uris.filter((uri) => uri.length <= MAX_SUBSCRIBED_URI && mayRead(context, uri)),
  };
  const tagged = { _meta: { [META.subscriptionId]: id } };
  const acknowledged = {
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { ...tagged, notifications: honoured(wanted) },
  };
  const listener = { principal: partitionOf(principal), wanted, revision: runtime.catalog.revision };
  return listen(context, listener, (change, stream) => stream.send(JSON.stringify(notification(change, tagged))), {
    first: (stream) => stream.send(JSON.stringify(acknowledged)),
    last: (stream) => sendClosing(id, stream),
  });
}

/**
 * Subscriptions, Graceful Closure, and Cancellation: one text wants a result, the other a notification. Both are sent.
 */
function sendClosing(id: RpcId, stream: EventStream): void {
  const _meta = { [META.subscriptionId]: id };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta, requestId: id } };
  stream.send(JSON.stringify(cancelled));
  stream.send(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta } }));
}

function honoured({ tools, prompts, resources, uris }: Wanted): Record<string, unknown> {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}
