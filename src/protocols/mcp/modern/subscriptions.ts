/** Serves `subscriptions/listen`: streams that stay open for change notifications (basic/patterns/subscriptions). */

import { isRecord } from "../../../core/lib/json.ts";
import { MAX_SUBSCRIBED_URI, type Published } from "../../../core/model/change.ts";
import { partitionOf } from "../../../core/model/principal.ts";
import type { Wanted } from "../../../core/ports/change-feed.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { EventStream } from "../../../http/sse.ts";
import type { RpcId, RpcRequest } from "../../json-rpc.ts";
import { listen, mayRead, notification } from "../transport/change-stream.ts";
import { refuse, tooManyStreams } from "../transport/error-response.ts";
import { CODE } from "../wire/codes.ts";
import { META } from "./meta.ts";

export const MAX_URIS = 100;

export async function subscribe(context: RequestContext, { id, params }: RpcRequest): Promise<Response> {
  const filter = isRecord(params) ? params.notifications : undefined;
  const wanted = isRecord(filter) ? wantedBy(filter, context) : undefined;
  if (wanted) return subscription(id, context, wanted, honoured(wanted));
  const message = `params.notifications must be an object, with at most ${MAX_URIS} URIs in resourceSubscriptions`;
  return refuse(400, message, { code: CODE.invalidParams, id });
}

/** @returns undefined if the filter is malformed */
export function wantedBy(filter: Readonly<Record<string, unknown>>, context: RequestContext): Wanted | undefined {
  const uris = filter.resourceSubscriptions ?? [];
  if (!isList(uris, MAX_URIS)) return undefined;
  return {
    tools: filter.toolsListChanged === true,
    prompts: filter.promptsListChanged === true,
    resources: filter.resourcesListChanged === true,
    // Only resources that this path offers and the principal may read: changes of others would reveal that they exist.
    uris: uris.filter((uri) => uri.length <= MAX_SUBSCRIBED_URI && mayRead(context, uri)),
  };
}

export function isList(value: unknown, most: number): value is string[] {
  return Array.isArray(value) && value.length <= most && value.every((item) => typeof item === "string");
}

/** What a subscription sends in addition to changes. */
interface Extra {
  /** Called after the acknowledgement. */
  begin(to: EventStream): void;
  end(): void;
  /** @returns whether it handles the change, which is then not sent as a notification */
  sends(change: Published, to: EventStream): boolean;
}

/** Sends the acknowledgement first, then only the notifications that the client has asked for. */
export async function subscription(
  id: RpcId,
  context: RequestContext,
  wanted: Wanted,
  notifications: Record<string, unknown>,
  extra?: Extra,
): Promise<Response> {
  const tagged = { _meta: { [META.subscriptionId]: id } };
  const listener = { principal: partitionOf(context.principal), wanted, revision: context.runtime.catalog.revision };
  const onAny = (change: Published, stream: EventStream) => {
    const told = extra?.sends(change, stream) ? undefined : notification(change, tagged);
    if (told) stream.send(JSON.stringify(told));
  };
  const listening = await listen(context, listener, onAny, {
    onOpen(stream) {
      const method = "notifications/subscriptions/acknowledged";
      stream.send(JSON.stringify({ jsonrpc: "2.0", method, params: { ...tagged, notifications } }));
      extra?.begin(stream);
    },
    // Two messages, because the specification asks for a result in one place and for a notification in another
    // (Subscriptions, Graceful Closure; Cancellation).
    onClose(stream) {
      extra?.end();
      const method = "notifications/cancelled";
      stream.send(JSON.stringify({ jsonrpc: "2.0", method, params: { ...tagged, requestId: id } }));
      stream.send(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...tagged } }));
    },
  });
  return listening instanceof Response ? listening : tooManyStreams(id);
}

export function honoured({ tools, prompts, resources, uris }: Wanted): Record<string, unknown> {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}
