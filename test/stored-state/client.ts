/** A client with a credential or without one, for the deployment of a stored state. */
import { modernRequest, TASKS } from "../support/node/long.ts";
import type { Fetch } from "./stored.ts";

const ASKED = { elicitation: { form: {}, url: {} } };

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
type Any = any;

/** @param mcp path where it speaks MCP */
export function client(fetch: Fetch, credential?: string, mcp = "/mcp") {
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
  };
  const post = (path: string, body: unknown, more: object = {}) =>
    fetch(path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const json = async (response: Promise<Response>): Promise<Any> => (await response).json();
  const ofSession = (session: string) => ({ "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" });
  const legacyPost = (session: string, method: string, params: object, more: object = {}) =>
    post(mcp, { jsonrpc: "2.0", id: 1, method, params }, { ...ofSession(session), ...more });
  const STREAM = { accept: "application/json, text/event-stream" };
  const modern = async (method: string, params: object, capabilities: object = { ...ASKED, ...TASKS }) => {
    const request = modernRequest(method, params, { capabilities });
    const { result, error } = await json(post(mcp, request.body, request.headers));
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  return {
    post: (path: string, body: unknown) => json(post(path, body)),
    get: (path: string) => json(fetch(path, { headers })),
    oxp: (tool_id: string, input: object, more: object = {}) =>
      json(post("/tools/call", { request: { tool_id, input, ...more } })),
    /** The same, with the header that tells a replay from a run. */
    async oxpReplayed(tool_id: string, input: object, more: object = {}) {
      const response = await post("/tools/call", { request: { tool_id, input, ...more } });
      return { replayed: response.headers.get("idempotency-replayed"), body: (await response.json()) as Any };
    },
    modern,
    /** For a client that cannot follow tasks. */
    plain: (method: string, params: object) => modern(method, params, ASKED),
    async taskUntil(taskId: string, status: string) {
      for (let tries = 0; tries < 400; tries++) {
        const task = await modern("tasks/get", { taskId });
        if (task.status === status) return task;
        await new Promise((resume) => setTimeout(resume, 50));
      }
      throw new Error(`the task was never ${status}: ${JSON.stringify(await modern("tasks/get", { taskId }))}`);
    },
    async openSession(): Promise<string> {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "stored", version: "1" } };
      const response = await post(mcp, { jsonrpc: "2.0", id: 1, method: "initialize", params });
      return response.headers.get("mcp-session-id") ?? "";
    },
    endSession: (session: string) => fetch(mcp, { method: "DELETE", headers: { ...headers, ...ofSession(session) } }),
    inSession: (session: string, method: string, params: object) => json(legacyPost(session, method, params)),
    statusInSession: async (session: string) => (await legacyPost(session, "ping", {})).status,
    /** Calls a tool in a session. */
    legacy: (session: string, name: string) => json(legacyPost(session, "tools/call", { name, arguments: {} })),
    /** The same, and returns the events of the response. */
    async legacyEvents(session: string, name: string): Promise<StreamEvent[]> {
      return eventsOf(await legacyPost(session, "tools/call", { name, arguments: {} }, STREAM));
    },
    /** Listens in a session, after an event if it has the id of one. */
    listen: (session: string, lastEvent?: string) =>
      fetch(mcp, {
        headers: {
          ...headers,
          ...ofSession(session),
          accept: "text/event-stream",
          ...(lastEvent !== undefined && { "last-event-id": lastEvent }),
        },
      }),
  };
}

export interface StreamEvent {
  readonly id: string;
  readonly data: Any;
}

/** Reads a stream of events to its end. Leaves out those without data. */
export async function eventsOf(response: Response): Promise<StreamEvent[]> {
  return (await response.text()).split("\n\n").flatMap((text) => {
    const [, id = ""] = /^id: (.*)$/m.exec(text) ?? [];
    const [, data = ""] = /^data: (.*)$/m.exec(text) ?? [];
    return data === "" ? [] : [{ id, data: JSON.parse(data) }];
  });
}
