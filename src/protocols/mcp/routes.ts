/** MCP over Streamable HTTP: one endpoint. Reads messages, finds who answers them, renders; runs nothing itself. */
import { json, jsonText, type Protocol, readJson, type Visit } from "../http.ts";
import { type RpcId, type RpcRequest, readRpc } from "../json-rpc.ts";
import { legacyMethods, type MethodReply, negotiate } from "./legacy.ts";
import { CODE, error, type RpcError } from "./render.ts";
import { isLegacyRevision, LEGACY_REVISIONS, type Manner } from "./revisions.ts";
import { knownSession, type SessionFacts, startSession } from "./session.ts";

export const mcp: Protocol = {
  endpoints: [
    { method: "POST", path: "/mcp", serve: post },
    { method: "DELETE", path: "/mcp", serve: endSession },
  ],
  httpError: (status, message, headers) => rpcError(undefined, { code: CODE.invalidRequest, message }, status, headers),
};

async function post(visit: Visit): Promise<Response> {
  const { request } = visit;
  const body = await readJson(request, visit.limits);
  if ("bad" in body) {
    const { status, message } = body.bad;
    return rpcError(undefined, { code: status === 400 ? CODE.parse : CODE.invalidRequest, message }, status);
  }
  const message = readRpc(body.value);
  if (message.kind === "invalid") {
    return rpcError(message.id, { code: CODE.invalidRequest, message: message.message }, 400);
  }
  const opened = await open(visit);
  if (opened instanceof Response) return opened;
  // Streamable HTTP, "Sending Messages to the Server": notifications and responses are accepted without a body.
  if (message.kind !== "request") return new Response(null, { status: 202 });
  return answer(message.request, visit, opened.manner, opened.session);
}

/** Session and revision of a request; whatever is absent is taken for a bare client's. */
async function open(visit: Visit): Promise<Response | { manner: Manner; session: SessionFacts | undefined }> {
  const { headers } = visit.request;
  const named = headers.get("mcp-protocol-version");
  if (named !== null && !isLegacyRevision(named)) {
    const message = `Unsupported protocol version; supported: ${LEGACY_REVISIONS.join(", ")}`;
    return rpcError(undefined, { code: CODE.invalidRequest, message }, 400);
  }
  const handle = headers.get("mcp-session-id");
  const session = handle === null ? undefined : await knownSession(visit, handle);
  if (handle !== null && session === undefined) return unknownSession();
  const revision = named ?? session?.revision;
  return { manner: revision === undefined ? { kind: "bare" } : { kind: "legacy", revision }, session };
}

async function answer(
  request: RpcRequest,
  visit: Visit,
  manner: Manner,
  session: SessionFacts | undefined,
): Promise<Response> {
  const method = legacyMethods.get(request.method);
  if (method === undefined) {
    return rpcReply(request.id, error(CODE.unknownMethod, `Method not found: ${request.method}`));
  }
  const reply = await method(request, { visit, manner, sessionId: session?.id });
  const revision = request.method === "initialize" ? negotiate(request.params) : undefined;
  const headers = revision === undefined ? undefined : { "mcp-session-id": await startSession(visit, revision) };
  return rpcReply(request.id, reply, headers);
}

async function endSession(visit: Visit): Promise<Response> {
  const handle = visit.request.headers.get("mcp-session-id");
  const session = handle === null ? undefined : await knownSession(visit, handle);
  if (session === undefined) return unknownSession();
  await visit.host.sessions.end(visit.principal.id, session.id);
  return new Response(null, { status: 204 });
}

function unknownSession(): Response {
  return rpcError(undefined, { code: CODE.unknownSession, message: "Session not found; start a new one" }, 404);
}

function rpcReply(id: RpcId, reply: MethodReply, headers?: Record<string, string>): Response {
  if ("resultText" in reply) {
    return jsonText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${reply.resultText}}`, 200, headers);
  }
  return json({ jsonrpc: "2.0", id, ...reply }, 200, headers);
}

/** Without a readable id the member is left out: the schemas allow a string or a number, and no null. */
function rpcError(id: RpcId | undefined, error: RpcError, status: number, headers?: Record<string, string>): Response {
  return json({ jsonrpc: "2.0", ...(id !== undefined && { id }), error }, status, headers);
}
