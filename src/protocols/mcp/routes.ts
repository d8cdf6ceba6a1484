/** MCP over Streamable HTTP: one endpoint for all eras. Reads a message and passes it to the era that serves it. */

import { type ReadBody, readJson } from "../../http/body.ts";
import type { MaybeResponse, Protocol, RequestContext } from "../../http/request-context.ts";
import { json } from "../../http/response.ts";
import { type RpcId, readRpc } from "../json-rpc.ts";
import { eraNamed, eraOf, erasOf } from "./eras.ts";
import { extended, type McpExtension } from "./methods/extension.ts";
import type { Era, NoEra } from "./transport/era.ts";
import { refuse } from "./transport/error-response.ts";
import { CODE } from "./wire/codes.ts";

/** @param extensions those of the features, the outermost first */
export function createMcp(extensions: readonly McpExtension[]): Protocol {
  const eras = erasOf(extended(extensions));
  return {
    endpoints: [
      { method: "POST", path: "/mcp", serve: (context) => post(context, eras) },
      { method: "GET", path: "/mcp", serve: (context) => get(context, eras) },
      { method: "DELETE", path: "/mcp", serve: (context) => endSession(context, eras) },
    ],
    httpError,
  };
}

const httpError: Protocol["httpError"] = (status, message, headers) =>
  refuse(status, message, { ...(headers && { headers }), ...(status >= 500 && { code: CODE.internal }) });

async function post(context: RequestContext, eras: readonly Era[]): Promise<Response> {
  return await reply(context, await readJson(context), eras);
}

/** A separate function, so that nothing holds the whole body in memory while a method runs. */
function reply(context: RequestContext, body: ReadBody, eras: readonly Era[]): MaybeResponse {
  if ("bad" in body) {
    const { status, message, value, headers } = body.bad;
    // "Parse error" means that the body is not JSON (JSON-RPC 2.0, section 5.1).
    const isParsed = status !== 400 || value !== undefined;
    return refuse(status, message, isParsed ? { id: idIn(value), headers } : { code: CODE.parse });
  }
  if (Array.isArray(body.value)) return postBatch(context, body.value, eras);
  const message = readRpc(body.value);
  if (message.kind === "invalid") return refuse(400, message.message, { id: message.id });
  const { kind } = message;
  const { method, params } = kind === "response" ? { method: undefined, params: undefined } : message;
  const match = eraOf(eras, context.headers, { method, params, isRequest: kind === "request" });
  if ("error" in match) return notServed(match, kind === "request" ? message.id : undefined);
  return eraNamed(eras, match).post(context, message, match);
}

function idIn(value: unknown): RpcId | undefined {
  const message = readRpc(value);
  return "id" in message ? message.id : undefined;
}

/** A batch does not say its era, so it goes to the era that supports batches. */
async function postBatch(context: RequestContext, values: readonly unknown[], eras: readonly Era[]): Promise<Response> {
  const era = eras.find(({ postBatch }) => postBatch);
  return (await era?.postBatch?.(context, values)) ?? refuse(400, "This revision does not support batches");
}

/** GET and DELETE have no body, so only the header says their era. */
const NO_MESSAGE = { method: undefined, params: undefined, isRequest: false };

async function get(context: RequestContext, eras: readonly Era[]): Promise<Response> {
  const match = eraOf(eras, context.headers, NO_MESSAGE);
  if ("error" in match) return notServed(match);
  const stream = await eraNamed(eras, match).get?.(context);
  if (stream) return stream;
  const allow = eras.some(({ endSession }) => endSession) ? "POST, DELETE" : "POST";
  return refuse(405, "GET opens a stream only in a session", { headers: { allow } });
}

async function endSession(context: RequestContext, eras: readonly Era[]): Promise<Response> {
  const match = eraOf(eras, context.headers, NO_MESSAGE);
  if ("error" in match) return notServed(match);
  const ended = await eraNamed(eras, match).endSession?.(context);
  return ended ?? refuse(405, "This revision does not support sessions", { headers: { allow: "POST" } });
}

function notServed({ status, error }: NoEra, id?: RpcId): Response {
  return json({ jsonrpc: "2.0", id, error }, status);
}
