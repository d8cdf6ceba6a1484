/** Clients that wait four minutes for the answer to a call: the official ones of MCP, those of this project, and `fetch`. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { FunctionCall, OpenToolClient, type ToolReturn } from "../../../src/client/opentool.ts";
import { OxpClient } from "../../../src/client/oxp.ts";
import { post } from "./http.ts";
import { callModern, callOpenTool, callOxp, MODERN, newName } from "./long.ts";
import { askAgain, type Work } from "./long-clients.ts";

/** How long they wait for one answer, in milliseconds. */
const PATIENCE_MS = 240_000;
const INFO = { name: "trivet-test", version: "1.0.0" };

interface Params {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly _meta?: Record<string, unknown>;
}

/** What a connected client of MCP does. */
export interface Connected {
  /** @param timeout in milliseconds */
  // biome-ignore lint/suspicious/noExplicitAny: the clients' own types differ
  call(params: Params, timeout?: number): Promise<any>;
  close(): Promise<void>;
}

export type Connect = (url: string) => Promise<Connected>;

/** The official client of the first generation. It offers the latest revision that it knows: here, another one. */
const v1 =
  (revision: string): Connect =>
  async (url) => {
    const client = new ClientV1(INFO);
    const primitive: typeof fetch = (to, { body, ...init } = {}) =>
      fetch(to, {
        ...init,
        ...(body && { body: String(body).replace(/(?<="protocolVersion":")2025-[-\d]+/, revision) }),
      });
    const transport = new TransportV1(new URL(`${url}/mcp`), { fetch: primitive });
    // The SDK's own types disagree under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
    if (transport.protocolVersion !== revision) throw new Error(`it speaks ${transport.protocolVersion}`);
    return {
      call: (params, timeout = PATIENCE_MS) => client.callTool({ ...params }, undefined, { timeout }),
      close: () => client.close(),
    };
  };

/** The official client of the second generation. */
const v2 =
  (revision: string): Connect =>
  async (url) => {
    const isModern = revision === MODERN;
    const client = new ClientV2(INFO, isModern ? { versionNegotiation: { mode: { pin: MODERN } } } : {});
    await client.connect(new TransportV2(new URL(`${url}/mcp`)));
    const spoken = client.getNegotiatedProtocolVersion();
    if (spoken !== revision) throw new Error(`it speaks ${spoken}`);
    return {
      call: (params, timeout = PATIENCE_MS) => client.callTool({ ...params }, { timeout }),
      close: () => client.close(),
    };
  };

/** By generation and revision: those that have sessions, and the one that has none. */
export const IN_SESSIONS: Readonly<Record<string, Connect>> = {
  "v1, 2025-03-26": v1("2025-03-26"),
  "v1, 2025-06-18": v1("2025-06-18"),
  "v1, 2025-11-25": v1("2025-11-25"),
  "v2, 2025-11-25": v2("2025-11-25"),
};
export const IN_MODERN: Readonly<Record<string, Connect>> = { "v2, 2026-07-28": v2(MODERN) };

/** Calls a tool (`Jobs.Work`) until it is done. Returns its text, and how many requests that took. */
type Finish = (url: string, tool: string, work: Work) => Promise<{ readonly text: string; readonly calls: number }>;

const inMcp =
  (connect: Connect): Finish =>
  async (url, tool, work) => {
    const { call, close } = await connect(url);
    const done = await askAgain((args) => call({ name: tool.replace(".", "_"), arguments: args }), work);
    await close();
    return done;
  };

/** A failure after which the call can be sent again. */
interface Again {
  readonly can_retry?: boolean;
  readonly retry_after_ms?: number;
}

/** Sends a call until it has a text. */
async function repeat(send: () => Promise<string | Again>): ReturnType<Finish> {
  for (let calls = 1; ; calls++) {
    const answer = await send();
    if (typeof answer === "string") return { text: answer, calls };
    if (!answer.can_retry) throw new Error(JSON.stringify(answer));
    await sleep(answer.retry_after_ms);
  }
}

const oxp: Finish = (url, tool, work) => {
  const call_id = newName();
  return repeat(async () => {
    const { result } = (await callOxp(url, tool, work, { call_id })).body;
    return result.success ? result.value : result.error;
  });
};

const ourOxp: Finish = async (url, tool, work) => {
  const { value, attempts } = await new OxpClient({ url, timeoutMs: PATIENCE_MS }).call(tool, work);
  return { text: String(value), calls: attempts };
};

const openTool: Finish = (url, tool, work) => {
  const key = { "idempotency-key": newName() };
  return repeat(async () => {
    const { result, error } = (await callOpenTool(url, tool.replace(".", "_"), work, key)).body;
    return error === null ? result.value : { ...error, ...error.data };
  });
};

const openToolStream: Finish = (url, tool, work) => {
  const key = { "idempotency-key": newName() };
  const body = { jsonrpc: "2.0", id: "1", method: tool.replace(".", "_"), params: work };
  return repeat(async () => {
    const text = await (await post(`${url}/opentool/streamCall`, body, key)).text();
    const [, message] = /^event:(?:data|error)\ndata:(.*)\n\n/m.exec(text) ?? [];
    if (message === undefined) throw new Error(`there is neither a result nor an error in ${JSON.stringify(text)}`);
    const { result, error } = JSON.parse(message);
    return error === null ? result.value : { ...error, ...error.data };
  });
};

const ourOpenTool =
  (run: (client: OpenToolClient, call: FunctionCall) => Promise<ToolReturn | undefined>): Finish =>
  async (url, tool, work) => {
    let calls = 0;
    const counted: typeof fetch = (...given) => {
      calls++;
      return fetch(...given);
    };
    const client = new OpenToolClient({ url, timeoutMs: PATIENCE_MS, fetch: counted });
    const done = await run(client, new FunctionCall("1", tool.replace(".", "_"), work));
    return { text: String(done?.result.value), calls };
  };

async function lastData(client: OpenToolClient, call: FunctionCall) {
  let last: ToolReturn | undefined;
  for await (const { event, toolReturn } of client.streamCall(call)) if (event === "data") last = toolReturn;
  return last;
}

const modernJson: Finish = (url, tool, work) =>
  askAgain(async (args) => (await callModern(url, tool.replace(".", "_"), args, { capabilities: {} })).result, work);

/** How each of them finishes a call. */
export const PATIENT_CLIENTS: Readonly<Record<string, Finish>> = {
  ...Object.fromEntries(
    Object.entries({ ...IN_SESSIONS, ...IN_MODERN }).map(([name, connect]) => [name, inMcp(connect)]),
  ),
  "fetch, 2026-07-28, JSON only": modernJson,
  "fetch, OXP": oxp,
  "this project's client of OXP": ourOxp,
  "fetch, OpenTool": openTool,
  "fetch, OpenTool's stream": openToolStream,
  "this project's client of OpenTool": ourOpenTool((client, call) => client.call(call)),
  "this project's client of OpenTool, with a stream": ourOpenTool(lastData),
};
