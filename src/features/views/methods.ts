/**
 * What clients that show views get in addition: the link from a tool to its view in `tools/list`, and the views in
 * `resources/list` and `resources/read`. All other clients get what they would get without views.
 */
import { views } from "#views";
import { isListed } from "../../core/call/resources.ts";
import { isRecord } from "../../core/lib/json.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import type { ViewEntry } from "../../core/model/primitives.ts";
import { VIEW_TYPE } from "../../core/model/primitives.ts";
import type { RpcRequest } from "../../protocols/json-rpc.ts";
import { announcing } from "../../protocols/mcp/methods/announcing.ts";
import { fragments, keptApart, paginate } from "../../protocols/mcp/methods/paging.ts";
import { listed, read, resourcesOf } from "../../protocols/mcp/methods/resources.ts";
import { renderTool } from "../../protocols/mcp/methods/tool-list.ts";
import type { Exchange, Method, MethodReply } from "../../protocols/mcp/transport/exchange.ts";
import { canShowViews, VIEWS_EXTENSION } from "./capability.ts";

/** A view is read under a URI that changes with it, so clients may keep it for an hour. */
const TTL_MS = 3_600_000;
/** The part of a view's URI that changes with it. Clients may ask for the view of an earlier deployment. */
const HASH = /-[0-9a-f]{8}\.html$/;

/** @param plain the methods of an era */
export function methodsWithViews(plain: ReadonlyMap<string, Method>): ReadonlyMap<string, Method> {
  /** Wraps a method, if there is one: a fork that only says who may call its tools has none for resources. */
  const forViews = (name: string, method: (other: Method) => Method): [string, Method][] => {
    const other = plain.get(name);
    if (other === undefined) return [];
    const showing = method(other);
    return [[name, (request, exchange) => (showsViews(exchange) ? showing : other)(request, exchange)]];
  };
  return new Map([
    ...plain,
    ...announcing(plain, VIEWS_EXTENSION, { mimeTypes: [VIEW_TYPE] }, isAnnounced),
    ...forViews("tools/list", () => listTools),
    ...forViews("resources/list", () => listResources),
    ...forViews("resources/read", (other) => (request, exchange) => {
      const view = isRecord(request.params) ? viewAt(request.params.uri, exchange) : undefined;
      return view ? readView(view, request, exchange) : other(request, exchange);
    }),
  ]);
}

/** A client with a handshake says there that it shows views; the id of its session records it (legacy/sessions.ts). */
function showsViews({ capabilities }: Exchange): boolean {
  return capabilities.has("views");
}

/** Views are announced only to clients that show them. In a handshake there is no session yet that says so. */
function isAnnounced({ params }: RpcRequest, exchange: Exchange): boolean {
  return showsViews(exchange) || (isRecord(params) && canShowViews(params.capabilities, params.clientInfo));
}

function listTools({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const { dialect, context } = exchange;
  const { runtime, toolkit } = context;
  const make = () => runtime.catalog.latest(toolkit).map((entry) => renderTool(linked(entry), dialect));
  const tools = fragments(`mcp-${dialect.era}-views`, exchange, make);
  return paginate("tools", tools, params, keptApart(exchange, "views"));
}

/** A tool with the link to its view, and who may call it. What its author writes in `meta` takes precedence. */
function linked(entry: CatalogEntry): CatalogEntry {
  const more = views.listed[entry.id];
  return more ? { ...entry, options: { ...entry.options, meta: { ...more, ...entry.options.meta } } } : entry;
}

function listResources({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const all = () => [...resourcesOf(exchange).filter(isListed), ...viewsOf(exchange)];
  const resources = fragments("mcp-resources-views", exchange, () => all().map((entry) => listed(entry)));
  return paginate("resources", resources, params, keptApart(exchange, "views"));
}

/** The views whose tools this request's principal and path can see. */
function viewsOf({ context: { runtime, toolkit } }: Exchange): readonly ViewEntry[] {
  return views.entries.filter(({ tool }) => "entry" in runtime.catalog.find({ id: tool }, toolkit));
}

/** @param uri of this deployment's view or an earlier one's: a client may have kept the listing */
function viewAt(uri: unknown, exchange: Exchange): ViewEntry | undefined {
  if (typeof uri !== "string") return undefined;
  const plain = (of: string) => of.replace(HASH, "");
  return viewsOf(exchange).find((view) => plain(view.uri) === plain(uri) && HASH.test(uri));
}

/** Reads a view like any resource: with its scopes, time limit and audit line. */
function readView(view: ViewEntry, { params }: RpcRequest, exchange: Exchange): Promise<MethodReply> {
  const { uri } = params as { uri: string };
  return read({ entry: view, variables: {} }, uri, params, TTL_MS, exchange);
}
