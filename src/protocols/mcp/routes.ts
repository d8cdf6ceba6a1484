/**
 * MCP over Streamable HTTP: one endpoint for both eras. Reads messages, finds who answers them; runs nothing itself.
 */

import { isPromise, type MaybePromise } from "../../core/lib/maybe-promise.ts";
import { partitionOf } from "../../core/model/principal.ts";
import { readJson } from "../../http/body.ts";
import type { MaybeResponse, Protocol, RequestContext } from "../../http/request-context.ts";
import { empty, json } from "../../http/response.ts";
import { type RpcId, type RpcMessage, type RpcRequest, readRpc } from "../json-rpc.ts";
import { answerBatch } from "./batch.ts";
import { eraOf } from "./dialects/era.ts";
import { dispatch, idInMail } from "./dispatch.ts";
import { takesStreams } from "./transport/exchange.ts";
import { isAnonymous, knownSession, type McpSession, relayBox } from "./transport/sessions.ts";
import { listenInSession, listenToSubscription } from "./transport/subscriptions.ts";
import { CODE } from "./wire/codes.ts";
import { capabilitiesOf, isOwnId, NO_CAPABILITIES } from "./wire/elicitation.ts";
import { type Dialect, isLegacyRevision, MODERN_REVISION } from "./wire/revisions.ts";

export const mcp: Protocol = {
  endpoints: [
    { method: "POST", path: "/mcp", serve: post },
    { method: "GET", path: "/mcp", serve: get },
    { method: "DELETE", path: "/mcp", serve: endSession },
  ],
  httpError: (status, message, headers) =>
    refuse(status, message, { ...(headers && { headers }), ...(status >= 500 && { code: CODE.internal }) }),
};

async function post(context: RequestContext): Promise<Response> {
  const body = await readJson(context);
  if ("bad" in body) {
    const { status, message } = body.bad;
    return refuse(status, message, status === 400 ? { code: CODE.parse } : {});
  }
  if (Array.isArray(body.value)) return postBatch(context, body.value);
  const message = readRpc(body.value);
  if (message.kind === "invalid") return refuse(400, message.message, { id: message.id });
  const { kind } = message;
  const { method, params } = kind === "response" ? { method: undefined, params: undefined } : message;
  const era = eraOf(context.headers, { method, params, isRequest: kind === "request" });
  if (era.era === "refused") {
    return json({ jsonrpc: "2.0", id: kind === "request" ? message.id : undefined, error: era.error }, era.status);
  }
  if (era.era === "modern") return postModern(context, message, era.capabilities);
  const opening = openLegacy(context, era.revision);
  const legacy = isPromise(opening) ? await opening : opening;
  return legacy instanceof Response ? legacy : postLegacy(context, message, legacy);
}

/** 2026-07-28: a request is answered on its own; nothing before it counts. */
function postModern(context: RequestContext, message: RpcMessage, capabilities: unknown): MaybeResponse {
  if (message.kind !== "request") return empty(202);
  if (message.method === "subscriptions/listen") return subscribe(context, message);
  const dialect: Dialect = { kind: "modern", revision: MODERN_REVISION };
  return dispatch(message, { context, dialect, session: undefined, capabilities: capabilitiesOf(capabilities) });
}

async function subscribe(context: RequestContext, request: RpcRequest): Promise<Response> {
  const listening = await listenToSubscription(context, request);
  if (listening === "malformed") {
    const message = "params.notifications must be an object of what to listen for";
    return refuse(400, message, { code: CODE.invalidParams, id: request.id });
  }
  return listening instanceof Response ? listening : tooManyStreams(request.id);
}

interface Legacy {
  readonly dialect: Dialect;
  readonly session: McpSession | undefined;
}

/** Session and revision of a legacy request; where both are absent it is a bare client's. */
function openLegacy(context: RequestContext, named: string | undefined): MaybePromise<Response | Legacy> {
  const handle = context.headers.get("mcp-session-id");
  return handle === null ? legacyOf(named, undefined) : openSession(context, named, handle);
}

async function openSession(
  context: RequestContext,
  named: string | undefined,
  handle: string,
): Promise<Response | Legacy> {
  const session = await knownSession(context, handle);
  // A session that began before its client signed in is nothing to go on with, and nothing to stumble over: clients
  // keep its id, and do not begin another.
  if (session === undefined && !(await isAnonymous(context, handle))) return unknownSession();
  return legacyOf(named, session);
}

function legacyOf(named: string | undefined, session: McpSession | undefined): Legacy {
  const revision = isLegacyRevision(named) ? named : session?.revision;
  return { dialect: revision === undefined ? { kind: "bare" } : { kind: "legacy", revision }, session };
}

async function postLegacy(
  context: RequestContext,
  message: RpcMessage,
  { dialect, session }: Legacy,
  isBatched?: boolean,
): Promise<Response> {
  if (message.kind === "request") {
    const streamAddress =
      session && dialect.kind === "legacy" && dialect.revision >= "2025-11-25"
        ? {
            box: relayBox(context, session),
            stream: crypto.randomUUID(),
            request: message.id,
            scopes: context.principal.scopes,
            toolkit: context.toolkit,
          }
        : undefined;
    return dispatch(message, {
      context,
      dialect,
      session,
      capabilities: session?.capabilities ?? NO_CAPABILITIES,
      streamAddress,
      isBatched,
    });
  }
  // Streamable HTTP, "Sending Messages to the Server": notifications and responses are accepted without a body.
  await hear(context, message, session);
  return empty(202);
}

/** Answers to our own requests, and cancellations: what a call in another isolate may wait for. */
async function hear(context: RequestContext, message: RpcMessage, session: McpSession | undefined): Promise<void> {
  if (session === undefined) return;
  const { relay } = context.runtime;
  if (message.kind === "response" && isOwnId(message.id)) {
    const { result, error } = message;
    await relay.answer(relayBox(context, session), message.id, JSON.stringify({ result, error }));
  }
  if (message.kind === "notification" && message.method === "notifications/cancelled") {
    const { requestId } = (message.params ?? {}) as { requestId?: unknown };
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    await relay.cancel(relayBox(context, session), idInMail(requestId));
  }
}

/** 2025-03-26, basic/index, Batching: that revision only, and clients that name none. */
async function postBatch(context: RequestContext, values: unknown[]): Promise<Response> {
  const named = context.headers.get("mcp-protocol-version") ?? undefined;
  const legacy = await openLegacy(context, named);
  if (legacy instanceof Response) return legacy;
  const { dialect } = legacy;
  const may = named === undefined || named === "2025-03-26";
  if (!may || dialect.kind === "modern" || (dialect.kind === "legacy" && dialect.revision !== "2025-03-26")) {
    return refuse(400, "This revision has no batches");
  }
  return answerBatch(values, context, (message) => postLegacy(context, message, legacy, true));
}

/** GET and DELETE have no body: their era is what the header says. */
const NO_MESSAGE = { method: undefined, params: undefined, isRequest: false };

async function get(context: RequestContext): Promise<Response> {
  const handle = context.headers.get("mcp-session-id");
  const era = eraOf(context.headers, NO_MESSAGE);
  if (era.era === "refused") return json({ jsonrpc: "2.0", error: era.error }, era.status);
  // Without a session there is nothing to listen to; 2026-07-28 has no GET at all.
  // HEAD would open a stream that nobody reads.
  if (handle === null || era.era === "modern" || context.request.method === "HEAD") {
    return refuse(405, "Only GET in a session opens a stream", { headers: { allow: "POST, DELETE" } });
  }
  if (!takesStreams(context)) return refuse(406, "GET answers with text/event-stream only");
  const session = await knownSession(context, handle);
  if (session === undefined) return unknownSession();
  const listening = await listenInSession(context, session);
  if (listening instanceof Response) return listening;
  return listening === "too many streams" ? tooManyStreams(undefined) : refuse(400, NOT_RESUMED[listening]);
}

/** Not 404: that would end the client's session. */
const NOT_RESUMED = {
  "unknown event": "Last-Event-ID names no event of this session; open the stream without it",
  "nothing follows": "Nothing follows the event that Last-Event-ID names: its stream is over",
};

async function endSession(context: RequestContext): Promise<Response> {
  const handle = context.headers.get("mcp-session-id");
  const era = eraOf(context.headers, NO_MESSAGE);
  if (era.era === "refused") return json({ jsonrpc: "2.0", error: era.error }, era.status);
  if (era.era === "modern") return refuse(405, "This revision has no sessions", { headers: { allow: "POST" } });
  if (handle === null) return refuse(400, "DELETE ends a session: the header Mcp-Session-Id is missing");
  const session = await knownSession(context, handle);
  if (session === undefined) return unknownSession();
  const { sessions, changeFeed, relay } = context.runtime;
  await sessions.end(context.principal.id, session.id);
  // Its open streams too, wherever they are.
  await Promise.all([
    changeFeed.end(partitionOf(context.principal), session.id),
    relay.close(relayBox(context, session)),
  ]);
  return empty(204);
}

function unknownSession(): Response {
  return refuse(404, "Session not found; start a new one", { code: CODE.unknownSession });
}

function tooManyStreams(id: RpcId | undefined): Response {
  return refuse(429, "Too many open streams; close one first", { id, headers: { "retry-after": "10" } });
}

/** Without a readable id the member is left out: the schemas allow a string or a number, and no null. */
function refuse(
  status: number,
  message: string,
  {
    code = status === 500 ? CODE.internal : CODE.invalidRequest,
    id,
    headers,
  }: { code?: number; id?: RpcId | undefined; headers?: Record<string, string> } = {},
): Response {
  return json({ jsonrpc: "2.0", id, error: { code, message } }, status, headers);
}
