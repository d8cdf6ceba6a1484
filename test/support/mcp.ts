/** Sends requests to `/mcp`. */
import { env, exports } from "cloudflare:workers";
import type { Mailbox } from "../../src/stores/object-relay.ts";
import { type Stream, streamOf } from "./sse.ts";

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  readonly body: any;
}

type Headed = Readonly<Record<string, string>>;

/** POSTs a message. `path` may be a whole URL, for tests that need https. */
export function postMcp(message: unknown, headers: Headed = {}, path = "/mcp"): Promise<Response> {
  return exports.default.fetch(new URL(path, "http://trivet.test"), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

export async function mcp(message: unknown, headers?: Headed, path?: string): Promise<McpAnswer> {
  const response = await postMcp(message, headers, path);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

export const request = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

export const call = (name: string, args: unknown = {}) => request("tools/call", { name, arguments: args });

/** The capabilities of a client that supports every kind of question. */
export const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Opens a session. Returns the headers that continue it. */
export async function handshake(
  protocolVersion = "2025-11-25",
  capabilities: object = {},
  path?: string,
): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } };
  const { headers, body } = await mcp(request("initialize", params), {}, path);
  const session = headers.get("mcp-session-id");
  if (session === null) throw new Error("no session was started");
  return { "mcp-session-id": session, "mcp-protocol-version": body.result.protocolVersion };
}

/** Ends a session. */
export function endSession(session: Headed): Promise<Response> {
  return exports.default.fetch("http://trivet.test/mcp", { method: "DELETE", headers: session });
}

/** The object behind the streams of an anonymous caller's session. */
export function mailboxOf(session: Headed): DurableObjectStub<Mailbox> {
  const { MAILBOX } = env as unknown as { MAILBOX: DurableObjectNamespace<Mailbox> };
  return MAILBOX.getByName(`anonymous/${session["mcp-session-id"]?.split(".")[0]}`);
}

/** Both media types, which the specification requires every client to accept. */
export const BOTH = { accept: "application/json, text/event-stream" };

/** POSTs a message on a session, and returns the event stream of the answer. */
export async function streamed(message: unknown, headers: Headed, path?: string): Promise<Stream> {
  return streamOf(await postMcp(message, { ...BOTH, ...headers }, path));
}

/** Opens a session's GET stream. */
export async function listenTo(session: Headed, more: Headed = {}): Promise<Stream> {
  const headers = { accept: "text/event-stream", ...session, ...more };
  return streamOf(await exports.default.fetch("http://trivet.test/mcp", { headers }));
}
