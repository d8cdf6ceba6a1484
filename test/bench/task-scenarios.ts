/** What clients ask of a deployment with long tools (task-server.ts): calls beside tasks. */
import { MODERN, mcpRequest } from "./mcp.ts";
import type { Scenario } from "./scenarios.ts";
import { type Answer, encode } from "./wire.ts";

export type TaskScenario = Pick<Scenario, "name" | "open">;
type Headers = Readonly<Record<string, string>>;

const FOLLOWS = {
  "io.modelcontextprotocol/protocolVersion": MODERN.version,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/** A request of a client that follows tasks. */
function request(method: string, params: Record<string, unknown>, headers: Headers = {}): Buffer {
  const made = mcpRequest(MODERN, method, params, headers);
  return encode({ ...made, body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: FOLLOWS } } });
}

export const callOf = (name: string, input: object, headers?: Headers) =>
  request("tools/call", { name, arguments: input }, headers);

export const pollOf = (taskId: string, headers: Headers = {}) =>
  request("tasks/get", { taskId }, { "mcp-name": taskId, ...headers });

/** The id of the task that a call has become. */
export function taskOf({ body }: Answer): string {
  const { result } = JSON.parse(body.toString());
  if (typeof result?.taskId !== "string") throw new Error(`no task was announced: ${body}`);
  return result.taskId;
}

const says = (text: string) => (body: Buffer) => body.includes(text);

/** Polls a task of this tool once it has this status. */
function poll(tool: string, input: object, status: string): Scenario["open"] {
  return async (ask) => {
    const exchange = { request: pollOf(taskOf(await ask(callOf(tool, input)))), status: 200 };
    while (!(await ask(exchange.request)).body.includes(`"status":"${status}"`)) {
      await new Promise((resume) => setTimeout(resume, 100));
    }
    return () => ({ ...exchange, body: says(`"status":"${status}"`) });
  };
}

export const PLAIN = "a plain call";
export const TASK_SCENARIOS: readonly TaskScenario[] = [
  {
    name: PLAIN,
    open: async () => {
      const call = callOf("Sums_Add", { a: 19.5, b: 22.5 });
      return () => ({ request: call, status: 200, body: says('"structuredContent":42') });
    },
  },
  {
    name: "a keyed call of a tool with effects, first",
    async open() {
      const run = crypto.randomUUID();
      return (index) => ({
        request: callOf("Door_Ring", { door: "front" }, { "idempotency-key": `${run} ${index}` }),
        status: 200,
        body: says("front: ding dong"),
      });
    },
  },
  {
    name: "announcing a task, and running it",
    open: async () => {
      const call = callOf("Jobs_Now", {});
      return () => ({ request: call, status: 200, body: says('"resultType":"task"') });
    },
  },
  { name: "polling a task that works", open: poll("Jobs_Wait", { seconds: 600 }, "working") },
  { name: "polling a task that has finished", open: poll("Jobs_Now", {}, "completed") },
];
