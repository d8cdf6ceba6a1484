/** `resources/list`, `resources/templates/list`, `resources/read` (server/resources). */
import {
  type FoundResource,
  findResource,
  isListed,
  isMissing,
  isTemplate,
  readResource,
} from "../../../core/call/resources.ts";
import { isRecord } from "../../../core/lib/json.ts";
import type { ResourceEntry } from "../../../core/model/primitives.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";
import { CODE, error } from "../wire/codes.ts";
import { contentsOf } from "../wire/content.ts";
import { readCaller } from "./mcp-caller.ts";
import { fragments, paginate } from "./paging.ts";
import { renderPrimitive } from "./render.ts";

export function resourcesOf({ context: { runtime, toolkit } }: Exchange): readonly ResourceEntry[] {
  return runtime.catalog.resources(toolkit);
}

/** JSON text of a resource in a listing. @param address name of the member with its URI */
export function listed({ uri, about }: ResourceEntry, address = "uri"): string {
  return JSON.stringify(contentsOf({ [address]: uri, ...about }));
}

export function listResources({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const make = () =>
    resourcesOf(exchange)
      .filter(isListed)
      .map((entry) => listed(entry));
  return paginate("resources", fragments("mcp-resources", exchange, make), params, exchange);
}

export function listTemplates({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const make = () =>
    resourcesOf(exchange)
      .filter(isTemplate)
      .map((entry) => listed(entry, "uriTemplate"));
  return paginate("resourceTemplates", fragments("mcp-templates", exchange, make), params, exchange);
}

export async function readResourceOf({ params }: RpcRequest, exchange: Exchange): Promise<MethodReply> {
  if (!isRecord(params) || typeof params.uri !== "string") {
    return error(CODE.invalidParams, "params.uri must be a string");
  }
  const { uri } = params;
  const found = findResource(exchange.context.runtime, exchange.context.toolkit, uri);
  if (found === undefined) return unknownResource(uri, exchange);

  // Contents are computed for each read, so clients may cache them only for as long as the definition says.
  return read(found, uri, params, found.entry.ttlMs ?? 0, exchange);
}

/** @param ttlMs milliseconds for which the client may cache the contents */
export async function read(
  found: FoundResource,
  uri: string,
  params: unknown,
  ttlMs: number,
  exchange: Exchange,
): Promise<MethodReply> {
  const subject = { method: "resources/read", about: uri };
  const caller = await readCaller(exchange, subject, params, found.entry.about.name);
  if ("refused" in caller) return caller.refused;
  const outcome = await readResource(found, uri, caller, exchange.context.runtime);
  await caller.drained();
  if (isMissing(outcome)) return unknownResource(uri, exchange);
  return renderPrimitive(outcome, exchange, subject, (contents) => ({
    contents: (contents as unknown[]).map(contentsOf),
    ...exchange.dialect.caching?.(ttlMs),
  }));
}

export function unknownResource(uri: string, { dialect }: Exchange): MethodReply {
  return error(dialect.unknownResourceCode, "Resource not found", { uri });
}
