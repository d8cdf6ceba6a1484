/**
 * MCP over Streamable HTTP: one endpoint for both eras. Reads messages, finds who answers them; runs nothing itself.
 */
import { ownerOf } from "../../core/principal.ts";
import { after, type Soon } from "../../core/soon.ts";
import { type Answer, empty, json, type Protocol, type ReadBody, readJson, type Visit } from "../http.ts";
import { type RpcId, type RpcMessage, type RpcRequest, readRpc } from "../json-rpc.ts";
import { answer, idInMail } from "./answer.ts";
import { isOwnId } from "./asked.ts";
import { abilitiesOf, NOTHING } from "./asking.ts";
import { answerBatch } from "./batch.ts";
import { eraOf } from "./era.ts";
import { listenInSession, listenToSubscription } from "./listening.ts";
import { CODE } from "./render.ts";
import { isLegacyRevision, type Manner, MODERN_REVISION } from "./revisions.ts";
import { boxOf, isAnonymous, knownSession, type SessionFacts } from "./session.ts";
import { takesStreams } from "./turn.ts";

export const mcp: Protocol = {
  endpoints: [
    { method: "POST", path: "/mcp", serve: post },
    { method: "GET", path: "/mcp", serve: get },
    { method: "DELETE", path: "/mcp", serve: endSession },
  ],
  httpError: (status, message, headers) =>
    refuse(status, message, { ...(headers && { headers }), ...(status >= 500 && { code: CODE.internal }) }),
};

function post(visit: Visit): Answer {
  return readJson(visit, (body) => receive(visit, body));
}

function receive(visit: Visit, body: ReadBody): Answer {
  if ("bad" in body) {
    const { status, message } = body.bad;
    return refuse(status, message, status === 400 ? { code: CODE.parse } : {});
  }
  if (Array.isArray(body.value)) return postBatch(visit, body.value);
  const message = readRpc(body.value);
  if (message.kind === "invalid") return refuse(400, message.message, { id: message.id });
  const { kind } = message;
  const { method, params } = kind === "response" ? { method: undefined, params: undefined } : message;
  const era = eraOf(visit.headers, { method, params, isRequest: kind === "request" });
  if (era.era === "refused") {
    return json({ jsonrpc: "2.0", id: kind === "request" ? message.id : undefined, error: era.error }, era.status);
  }
  if (era.era === "modern") return postModern(visit, message, era.capabilities);
  return after(openLegacy(visit, era.revision), postOpened, visit, message);
}

function postOpened(legacy: Response | Legacy, visit: Visit, message: RpcMessage): Answer {
  return legacy instanceof Response ? legacy : postLegacy(visit, message, legacy);
}

/** 2026-07-28: a request is answered on its own; nothing before it counts. */
function postModern(visit: Visit, message: RpcMessage, capabilities: unknown): Answer {
  if (message.kind !== "request") return empty(202);
  if (message.method === "subscriptions/listen") return subscribe(visit, message);
  const manner: Manner = { kind: "modern", revision: MODERN_REVISION };
  return answer(message, { visit, manner, session: undefined, can: abilitiesOf(capabilities) });
}

async function subscribe(visit: Visit, request: RpcRequest): Promise<Response> {
  const listening = await listenToSubscription(visit, request);
  if (listening === "malformed") {
    const message = "params.notifications must be an object of what to listen for";
    return refuse(400, message, { code: CODE.invalidParams, id: request.id });
  }
  return listening instanceof Response ? listening : tooManyStreams(request.id);
}

interface Legacy {
  readonly manner: Manner;
  readonly session: SessionFacts | undefined;
}

/** Session and revision of a legacy request; where both are absent it is a bare client's. */
function openLegacy(visit: Visit, named: string | undefined): Soon<Response | Legacy> {
  const handle = visit.headers.get("mcp-session-id");
  return handle === null ? legacyOf(named, undefined) : openSession(visit, named, handle);
}

async function openSession(visit: Visit, named: string | undefined, handle: string): Promise<Response | Legacy> {
  const session = await knownSession(visit, handle);
  // A session that began before its client signed in is nothing to go on with, and nothing to stumble over: clients
  // keep its id, and do not begin another.
  if (session === undefined && !(await isAnonymous(visit, handle))) return unknownSession();
  return legacyOf(named, session);
}

function legacyOf(named: string | undefined, session: SessionFacts | undefined): Legacy {
  const revision = isLegacyRevision(named) ? named : session?.revision;
  return { manner: revision === undefined ? { kind: "bare" } : { kind: "legacy", revision }, session };
}

function postLegacy(visit: Visit, message: RpcMessage, { manner, session }: Legacy, alone?: boolean): Answer {
  if (message.kind === "request") {
    const streamAddress =
      session && manner.kind === "legacy" && manner.revision >= "2025-11-25"
        ? {
            box: boxOf(visit, session),
            stream: crypto.randomUUID(),
            request: message.id,
            scopes: visit.principal.scopes,
            toolkit: visit.toolkit,
          }
        : undefined;
    return answer(message, { visit, manner, session, can: session?.can ?? NOTHING, streamAddress, alone });
  }
  // Streamable HTTP, "Sending Messages to the Server": notifications and responses are accepted without a body.
  return hear(visit, message, session).then(() => empty(202));
}

/** Answers to our own requests, and cancellations: what a call in another isolate may wait for. */
async function hear(visit: Visit, message: RpcMessage, session: SessionFacts | undefined): Promise<void> {
  if (session === undefined) return;
  const { mail } = visit.host;
  if (message.kind === "response" && isOwnId(message.id)) {
    const { result, error } = message;
    await mail.answer(boxOf(visit, session), message.id, JSON.stringify({ result, error }));
  }
  if (message.kind === "notification" && message.method === "notifications/cancelled") {
    const { requestId } = (message.params ?? {}) as { requestId?: unknown };
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    await mail.cancel(boxOf(visit, session), idInMail(requestId));
  }
}

/** 2025-03-26, basic/index, Batching: that revision only, and clients that name none. */
async function postBatch(visit: Visit, values: unknown[]): Promise<Response> {
  const named = visit.headers.get("mcp-protocol-version") ?? undefined;
  const legacy = await openLegacy(visit, named);
  if (legacy instanceof Response) return legacy;
  const { manner } = legacy;
  const may = named === undefined || named === "2025-03-26";
  if (!may || manner.kind === "modern" || (manner.kind === "legacy" && manner.revision !== "2025-03-26")) {
    return refuse(400, "This revision has no batches");
  }
  return answerBatch(values, visit, (message) => postLegacy(visit, message, legacy, true));
}

/** GET and DELETE have no body: their era is what the header says. */
const NO_MESSAGE = { method: undefined, params: undefined, isRequest: false };

async function get(visit: Visit): Promise<Response> {
  const handle = visit.headers.get("mcp-session-id");
  const era = eraOf(visit.headers, NO_MESSAGE);
  if (era.era === "refused") return json({ jsonrpc: "2.0", error: era.error }, era.status);
  // Without a session there is nothing to listen to; 2026-07-28 has no GET at all.
  // HEAD would open a stream that nobody reads.
  if (handle === null || era.era === "modern" || visit.request.method === "HEAD") {
    return refuse(405, "Only GET in a session opens a stream", { headers: { allow: "POST, DELETE" } });
  }
  if (!takesStreams(visit)) return refuse(406, "GET answers with text/event-stream only");
  const session = await knownSession(visit, handle);
  if (session === undefined) return unknownSession();
  const listening = await listenInSession(visit, session);
  if (listening instanceof Response) return listening;
  return listening === "too many streams" ? tooManyStreams(undefined) : refuse(400, NOT_RESUMED[listening]);
}

/** Not 404: that would end the client's session. */
const NOT_RESUMED = {
  "unknown event": "Last-Event-ID names no event of this session; open the stream without it",
  "nothing follows": "Nothing follows the event that Last-Event-ID names: its stream is over",
};

async function endSession(visit: Visit): Promise<Response> {
  const handle = visit.headers.get("mcp-session-id");
  const era = eraOf(visit.headers, NO_MESSAGE);
  if (era.era === "refused") return json({ jsonrpc: "2.0", error: era.error }, era.status);
  if (era.era === "modern") return refuse(405, "This revision has no sessions", { headers: { allow: "POST" } });
  if (handle === null) return refuse(400, "DELETE ends a session: the header Mcp-Session-Id is missing");
  const session = await knownSession(visit, handle);
  if (session === undefined) return unknownSession();
  const { sessions, changes, mail } = visit.host;
  await sessions.end(visit.principal.id, session.id);
  // Its open streams too, wherever they are.
  await Promise.all([changes.end(ownerOf(visit.principal), session.id), mail.close(boxOf(visit, session))]);
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
