/** `subscriptions/listen`: a stream that stays open for change notifications (basic/patterns/subscriptions). */

import { isRecord } from "../../../../core/lib/json.ts";
import { MAX_SUBSCRIBED_URI } from "../../../../core/model/change.ts";
import { partitionOf } from "../../../../core/model/principal.ts";
import type { Wanted } from "../../../../core/ports/change-feed.ts";
import type { RequestContext } from "../../../../http/request-context.ts";
import type { EventStream } from "../../../../http/sse.ts";
import type { RpcId, RpcRequest } from "../../../json-rpc.ts";
import { type Listening, listen, mayRead, notification } from "../../transport/change-stream.ts";
import { refuse, tooManyStreams } from "../../transport/error-response.ts";
import { CODE } from "../../wire/codes.ts";
import { META } from "./meta.ts";

/** Maximum number of resources in one subscription. */
export const MAX_URIS = 100;

export async function subscribe(context: RequestContext, request: RpcRequest): Promise<Response> {
  const listening = await listenToSubscription(context, request);
  if (listening === "malformed") {
    const message = `params.notifications must be an object, with at most ${MAX_URIS} URIs in resourceSubscriptions`;
    return refuse(400, message, { code: CODE.invalidParams, id: request.id });
  }
  return listening instanceof Response ? listening : tooManyStreams(request.id);
}

/** Sends the acknowledgement first, then only the notifications that the client has asked for. */
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
    // Only resources that this path offers and the principal may read: a change would reveal that others exist.
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
    onOpen: (stream) => stream.send(JSON.stringify(acknowledged)),
    onClose: (stream) => sendClosing(id, stream),
  });
}

/**
 * Sends two messages, because the specification asks for a result in one place and for a notification in another
 * (Subscriptions, Graceful Closure; Cancellation).
 */
export function sendClosing(id: RpcId, stream: EventStream): void {
  const _meta = { [META.subscriptionId]: id };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta, requestId: id } };
  stream.send(JSON.stringify(cancelled));
  stream.send(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta } }));
}

export function honoured({ tools, prompts, resources, uris }: Wanted): Record<string, unknown> {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}
