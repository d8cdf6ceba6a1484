/** A client with a key, for the deployment of the stored state. */
import { modernRequest } from "../support/node/long.ts";
import type { Stored } from "./stored.ts";

const CAPABILITIES = { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } };

export function client(served: Stored, key: string) {
  const headers = { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${key}` };
  const post = (path: string, body: unknown, more: object = {}) =>
    served.fetch(path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  const json = async (response: Promise<Response>): Promise<any> => (await response).json();
  const modern = async (method: string, params: object) => {
    const request = modernRequest(method, params, { capabilities: CAPABILITIES });
    const { result, error } = await json(post("/mcp", request.body, request.headers));
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  return {
    oxp: (tool_id: string, input: object, more: object = {}) =>
      json(post("/tools/call", { request: { tool_id, input, ...more } })),
    /** The same, with the header that tells a replay from a run. */
    async oxpReplayed(tool_id: string, input: object, more: object = {}) {
      const response = await post("/tools/call", { request: { tool_id, input, ...more } });
      // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
      return { replayed: response.headers.get("idempotency-replayed"), body: (await response.json()) as any };
    },
    modern,
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
      const response = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params });
      return response.headers.get("mcp-session-id") ?? "";
    },
    /** Calls a tool in a session. */
    legacy: (session: string, name: string) =>
      json(
        post(
          "/mcp",
          { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } },
          { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" },
        ),
      ),
  };
}
