/** `resources/subscribe` and `resources/unsubscribe` of the revisions with a handshake (server/resources). */
import { missingScopes } from "../../core/call/authorize.ts";
import { findResource, resourcePrimitive, subscribedTo } from "../../core/call/resources.ts";
import { isRecord } from "../../core/lib/json.ts";
import { MAX_SUBSCRIBED_URI } from "../../core/model/change.ts";
import { partitionOf } from "../../core/model/principal.ts";
import type { RpcRequest } from "../../protocols/json-rpc.ts";
import { refused } from "../../protocols/mcp/methods/render.ts";
import { unknownResource } from "../../protocols/mcp/methods/resources.ts";
import type { Exchange, MethodReply } from "../../protocols/mcp/transport/exchange.ts";
import { CODE, error } from "../../protocols/mcp/wire/codes.ts";

export async function subscribe({ params }: RpcRequest, exchange: Exchange, on: boolean): Promise<MethodReply> {
  const { context, session } = exchange;
  if (!isRecord(params) || typeof params.uri !== "string") {
    return error(CODE.invalidParams, "params.uri must be a string");
  }
  const found =
    params.uri.length <= MAX_SUBSCRIBED_URI ? findResource(context.runtime, context.toolkit, params.uri) : undefined;
  if (on && !found) return unknownResource(params.uri, exchange);
  // A caller that may not read a resource must not learn that it changes.
  const refusal = on && found ? missingScopes(resourcePrimitive(found.entry), context.principal) : undefined;
  if (refusal) return refused(refusal, exchange.dialect, context);
  const { changeFeed } = context.runtime;
  const resource = found && subscribedTo(found, params.uri);
  if (session && resource && !(await changeFeed.subscribe(partitionOf(context.principal), session.id, resource, on))) {
    return error(CODE.invalidParams, "Too many subscriptions; end one first");
  }
  return { result: {} };
}
