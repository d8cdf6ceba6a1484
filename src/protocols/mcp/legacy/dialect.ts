/** The dialects of the revisions with a handshake, and of clients that do not name a revision. */
import { isRecord } from "../../../core/lib/json.ts";
import type { ServerInfo } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Extended } from "../methods/extension.ts";
import { failed } from "../methods/render.ts";
import { listTools, toolCaller } from "../methods/tools.ts";
import type { Dialect, Exchange, Method, MethodReply } from "../transport/exchange.ts";
import { clientNames } from "../wire/client-names.ts";
import { CODE, error } from "../wire/codes.ts";
import { isLogLevel } from "../wire/log-levels.ts";
import { askLive, watch } from "./session-relay.ts";
import {
  isLegacyRevision,
  LEGACY_REVISIONS,
  type LegacyRevision,
  logLevelOf,
  namesIn,
  setLogLevel,
  startSession,
} from "./sessions.ts";

const methodsOf = (mcp: Extended): ReadonlyMap<string, Method> =>
  new Map<string, Method>([
    ["initialize", (request, exchange) => initialize(request, exchange, mcp)],
    ["ping", () => ({ result: {} })],
    ["logging/setLevel", setLevel],
    ["tools/list", listTools],
    ["tools/call", toolCaller(mcp)],
  ]);

const NO_ANSWERS = { answers: undefined };

/** @param revision undefined for bare clients, which skip the handshake and do not name a revision */
function make(revision: LegacyRevision | undefined, methods: ReadonlyMap<string, Method>): Dialect {
  return {
    era: "legacy",
    methods,
    finish: (reply) => reply,
    // "Disconnection SHOULD NOT be interpreted as the client cancelling its request" (2025-03-26, 2025-06-18 and
    // 2025-11-25, basic/transports). 2024-11-05 does not say so, but has the same cancel notification. Bare clients can
    // cancel only by disconnecting.
    disconnectCancels: revision === undefined,
    notifies: revision !== undefined,
    watch,
    logThreshold: ({ context, session }) => (session ? logLevelOf(context, session) : "info"),
    readAnswers: () => NO_ANSWERS,
    clientNames: ({ session }) => namesIn(session?.client),
    elicitation: askLive,
    asking() {
      throw new TypeError("Legacy clients are asked during a call, so no call can end with questions");
    },
    timedOut: (message) => error(CODE.timeout, message),
    lacksCapability: (_capability, message) => ({ result: failed({ message }) }),
    // An error before 2025-11-25 (changelog, SEP-1303).
    invalidIsResult: (revision ?? "") >= "2025-11-25",
    // Bare clients get -32601 for an unknown tool. Every revision of MCP says -32602.
    unknownToolCode: revision === undefined ? CODE.unknownMethod : CODE.invalidParams,
    unknownResourceCode: CODE.unknownResource,
    structuredContent: "objects",
    inputSchema: ({ mcp, input }) => mcp ?? input,
    listingEnd: () => "",
  };
}

/** @returns a function from revision to dialect; undefined stands for bare clients */
export function legacyDialects(mcp: Extended): (revision: LegacyRevision | undefined) => Dialect {
  const methods = mcp.legacyMethods(methodsOf(mcp));
  const bare = make(undefined, methods);
  const dialects = new Map(LEGACY_REVISIONS.map((revision) => [revision, make(revision, methods)]));
  return (revision) => (revision && dialects.get(revision)) ?? bare;
}

/** The client's revision if it is supported, else the newest of this era (Lifecycle, "Version Negotiation"). */
function negotiate(params: unknown): LegacyRevision | undefined {
  if (!isRecord(params) || typeof params.protocolVersion !== "string") return undefined;
  return isLegacyRevision(params.protocolVersion) ? params.protocolVersion : LEGACY_REVISIONS[0];
}

/** Starts a session (2025-11-25, basic/transports, Session Management). */
async function initialize({ params }: RpcRequest, { context }: Exchange, mcp: Extended): Promise<MethodReply> {
  const protocolVersion = negotiate(params);
  if (protocolVersion === undefined) {
    return error(CODE.invalidParams, "params.protocolVersion must be a string");
  }
  const { capabilities, clientInfo } = params as Record<string, unknown>;
  const serverInfo = shown(context.server, protocolVersion);
  // JSON leaves out undefined.
  const instructions = context.runtime.catalog.instructions(context.toolkit);
  const can = mcp.capabilitiesOf(capabilities, clientInfo);
  const handle = await startSession(context, protocolVersion, can, clientNames(clientInfo));
  return {
    result: { protocolVersion, capabilities: mcp.capabilities, serverInfo, instructions },
    headers: { "mcp-session-id": handle },
  };
}

/** The members of the server's description that exist in a revision (schema of each revision, Implementation). */
function shown({ name, version, title, ...later }: ServerInfo, revision: LegacyRevision): ServerInfo {
  return {
    name,
    version,
    ...(title !== undefined && revision >= "2025-06-18" && { title }),
    ...(revision >= "2025-11-25" && later),
  };
}

async function setLevel({ params }: RpcRequest, { context, session }: Exchange): Promise<MethodReply> {
  const level = isRecord(params) ? params.level : undefined;
  if (!isLogLevel(level)) return error(CODE.invalidParams, "params.level must be a log level");
  // Without a session, the level cannot be stored, and there is no later message to which it could apply.
  if (session) await setLogLevel(context, session, level);
  return { result: {} };
}
