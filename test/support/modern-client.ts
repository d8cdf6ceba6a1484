/** A client of 2026-07-28: sends requests with everything that this revision requires. */

import { BOTH, type McpAnswer, mcp, postMcp } from "./mcp.ts";
import { type Stream, streamOf } from "./sse.ts";

export const VERSION = "2026-07-28";
export const META = "io.modelcontextprotocol/";

export interface RequestOptions {
  readonly capabilities?: unknown;
  /** Further members of `_meta`; undefined removes one. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Headers to add; an empty string removes one. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: unknown;
  readonly path?: string;
}

/** Message and headers of a valid request, with a test's changes. */
export function modernRequest(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { capabilities = {}, meta = {}, headers = {}, id = 1 }: RequestOptions = {},
): { message: unknown; headers: Record<string, string> } {
  const _meta = { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: capabilities, ...meta };
  const name = params.name ?? params.uri;
  const all: Record<string, string> = {
    "mcp-protocol-version": VERSION,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
    ...headers,
  };
  const kept = Object.entries(all).filter(([, value]) => value !== "");
  return { message: { jsonrpc: "2.0", id, method, params: { ...params, _meta } }, headers: Object.fromEntries(kept) };
}

/** Sends a request that accepts plain JSON only, unless `headers` says otherwise. */
export function modern(
  method: string,
  params?: Readonly<Record<string, unknown>>,
  options?: RequestOptions,
): Promise<McpAnswer> {
  const { message, headers } = modernRequest(method, params, options);
  return mcp(message, headers, options?.path);
}

/** Like {@link modern}, but also accepts an event stream. */
export function postModern(
  method: string,
  params?: Readonly<Record<string, unknown>>,
  options?: RequestOptions,
): Promise<Response> {
  const { message, headers } = modernRequest(method, params, options);
  return postMcp(message, { ...BOTH, ...headers }, options?.path);
}

/** Like {@link modern}, for an answer that is an event stream. */
export async function modernStream(
  method: string,
  params?: Readonly<Record<string, unknown>>,
  options?: RequestOptions,
): Promise<Stream> {
  return streamOf(await postModern(method, params, options));
}

export const callModern = (name: string, args: unknown = {}, options?: RequestOptions) =>
  modern("tools/call", { name, arguments: args }, options);
