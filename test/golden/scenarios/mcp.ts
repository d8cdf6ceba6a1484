/** What a client of MCP says, by revision. */
import type { Sent, Transcript } from "../transcript.ts";

export const BOTH = { accept: "application/json, text/event-stream" };
export const JSON_ONLY = { accept: "application/json" };
const META = "io.modelcontextprotocol/";
export const MODERN = "2026-07-28";

let ids = 0;
/** A message of JSON-RPC with an id that no other has. */
export const message = (method: string, params?: object) => ({ jsonrpc: "2.0", id: ++ids, method, params });
/** Starts the ids of a transcript. */
export const restartIds = () => {
  ids = 0;
};

export const legacy = (method: string, params?: object, headers: object = {}): Sent => ({
  body: message(method, params),
  headers: { ...BOTH, ...headers },
});

export const calls = (name: string, args: unknown = {}, meta?: object) => ({
  name,
  arguments: args,
  ...(meta && { _meta: meta }),
});

/** A request of 2026-07-28. */
export function modern(
  method: string,
  params: object = {},
  capabilities: object = {},
  headers: object = {},
  meta: object = {},
): Sent {
  const { name, uri, taskId } = params as Record<string, unknown>;
  const subject = name ?? uri ?? taskId;
  const _meta = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientCapabilities`]: capabilities,
    [`${META}clientInfo`]: { name: "golden", version: "1" },
    ...meta,
  };
  return {
    body: message(method, { ...params, _meta }),
    headers: {
      ...BOTH,
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof subject === "string" && { "mcp-name": subject }),
      ...headers,
    },
  };
}

/**
 * Opens a session, and returns the headers that continue it.
 * @param which tells it from other sessions of the transcript
 */
export async function initialize(
  at: Transcript,
  protocolVersion: string,
  capabilities: object = {},
  path = "/mcp",
  headers: object = {},
  which = protocolVersion,
) {
  const clientInfo = { name: "golden", version: "1" };
  const answer = await at.send(
    `initialize, ${which}`,
    path,
    legacy("initialize", { protocolVersion, capabilities, clientInfo }, headers),
  );
  const session = {
    ...headers,
    "mcp-session-id": answer.headers.get("mcp-session-id") ?? "none",
    "mcp-protocol-version": protocolVersion,
  };
  await at.send(`initialized, ${which}`, path, {
    body: { jsonrpc: "2.0", method: "notifications/initialized" },
    headers: { ...BOTH, ...session },
  });
  return session;
}

/** The calls of oxp.ts that say something of MCP, by the names that MCP has for tools. */
export const TOOL_CALLS: readonly (readonly [name: string, tool: string, args: unknown])[] = [
  ["completes with a number", "Plain_Add", { a: 1, b: 2.5 }],
  ["completes with an object", "Plain_Point", {}],
  ["completes with nothing", "Plain_Nothing", {}],
  ["completes with blocks", "Plain_Show", {}],
  ["fails with all fields", "Plain_Fail", { how: "with all fields" }],
  ["fails by an exception", "Plain_Fail", { how: "by an exception" }],
  ["returns what it does not promise", "Plain_Broken", {}],
  ["takes too long", "Plain_Slow", {}],
  ["cannot be loaded", "Plain_Unloadable", {}],
  ["has several wrong parameters", "Plain_Order", { customer: { name: "A", mail: "no" }, items: [], speed: "warp" }],
  ["is unknown", "Plain_Missing", {}],
  ["lacks its requirements", "Needs_Everything", {}],
  ["has no session or a handle", "Talk_Tally", {}],
  ["needs a scope", "Vault_Open", {}],
  ["asks a client that cannot be asked", "Talk_Ask", { what: "form" }],
];
