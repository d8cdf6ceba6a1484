/** Finishes one long call with each client: the official ones as they come, and those of OXP and OpenTool. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
  type TaskExecutionEvent,
} from "@modelcontextprotocol/ext-tasks/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { postJson } from "./http.ts";
import { callOpenTool, callOxp, MODERN, modernRequest, newName } from "./long.ts";

const INFO = { name: "trivet-test", version: "1.0.0" };

/** What `Jobs.Work` is called with. */
export interface Work extends Record<string, unknown> {
  readonly name: string;
  readonly ms: number;
  readonly reports?: string[];
}

/** Calls `Jobs.Work` until it is done. Returns its text, and how many requests that took. */
export type Finish = (url: string, work: Work) => Promise<{ readonly text: string; readonly calls: number }>;

interface ToolResult {
  readonly content?: unknown;
  readonly isError?: unknown;
  readonly _meta?: unknown;
}

/** As a model would: if the result names a task, calls the tool again with its id. */
export async function askAgain(call: (args: Record<string, unknown>) => Promise<ToolResult>, work: Work) {
  let result = await call(work);
  let calls = 1;
  for (;;) {
    const [block] = result.content as { text: string }[];
    if (result.isError || block === undefined) throw new Error(`the call failed: ${JSON.stringify(result)}`);
    const [, task_id] = /task_id "([^"]+)"/.exec(block.text) ?? [];
    if (task_id === undefined) return { text: block.text, calls };
    result = await call({ ...work, task_id });
    calls++;
  }
}

const v1: Finish = async (url, work) => {
  const client = new ClientV1(INFO);
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(new TransportV1(new URL(`${url}/mcp`)) as Parameters<ClientV1["connect"]>[0]);
  const done = await askAgain(
    (args) => client.callTool({ name: "Jobs_Work", arguments: args }) as Promise<ToolResult>,
    work,
  );
  await client.close();
  return done;
};

const v2 =
  (mode: "legacy" | "modern"): Finish =>
  async (url, work) => {
    const client = new ClientV2(INFO, mode === "modern" ? { versionNegotiation: { mode: { pin: MODERN } } } : {});
    await client.connect(new TransportV2(new URL(`${url}/mcp`)));
    const done = await askAgain((args) => client.callTool({ name: "Jobs_Work", arguments: args }), work);
    await client.close();
    return done;
  };

/** Sends the requests of tasks, which the SDK's own client does not know yet. */
const rawDispatch =
  (url: string, sent: () => void): RawClientDispatch =>
  async (request) => {
    sent();
    const { method, params } = request as unknown as { method: string; params: Record<string, unknown> };
    const { headers } = modernRequest(method, params);
    const { body } = await postJson(`${url}/mcp`, { jsonrpc: "2.0", id: 1, ...(request as object) }, headers);
    return body.error ? { kind: "error", error: body.error } : { kind: "result", result: body.result };
  };

/** @param heard gets what the client tells of the task */
export const extTasks =
  (heard: (event: TaskExecutionEvent<unknown>) => void = () => {}): Finish =>
  async (url, work) => {
    const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: MODERN } } });
    await client.connect(new TransportV2(new URL(`${url}/mcp`)));
    let calls = 0;
    const session = createTaskSessionFromClient(client, {
      endpointId: "trivet-test",
      rawDispatch: rawDispatch(url, () => calls++),
      v2RequestFraming: { protocolVersion: MODERN, clientInfo: INFO, clientCapabilities: {} },
    });
    try {
      const execution = await session.callTool("Jobs_Work", work as never);
      const { outcome } = await execution.settle({ onEvent: heard });
      const { content } = resultFromTaskOutcome(outcome) as { content: { text: string }[] };
      return { text: content[0]?.text ?? "", calls };
    } finally {
      await session.close();
      await client.close();
    }
  };

const oxp: Finish = async (url, work) => {
  const call_id = newName();
  for (let calls = 1; ; calls++) {
    const { body } = await callOxp(url, "Jobs.Work", work, { call_id });
    const { success, value, error } = body.result;
    if (success) return { text: value, calls };
    if (!error.can_retry) throw new Error(JSON.stringify(error));
    await sleep(error.retry_after_ms);
  }
};

const openTool: Finish = async (url, work) => {
  const key = { "idempotency-key": newName() };
  for (let calls = 1; ; calls++) {
    const { body } = await callOpenTool(url, "Jobs_Work", work, key);
    if (body.error === null) return { text: body.result.value, calls };
    if (!body.error.data?.can_retry) throw new Error(JSON.stringify(body.error));
    await sleep(body.error.data.retry_after_ms);
  }
};

export const LONG_CLIENTS: Readonly<Record<string, Finish>> = {
  "tasks: @modelcontextprotocol/ext-tasks": extTasks(),
  "v1: @modelcontextprotocol/sdk": v1,
  "v2: @modelcontextprotocol/client": v2("legacy"),
  "v2, 2026-07-28": v2("modern"),
  OXP: oxp,
  OpenTool: openTool,
};
