/** The official MCP clients against the built Worker, over real HTTP. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fork, makeFork, type Served, serveBuilt } from "../support/node/fork.ts";

let fork: Fork;
let served: Served;
beforeAll(async () => {
  fork = makeFork("test/fixtures/tools");
  served = await serveBuilt(fork);
});
afterAll(async () => {
  await served?.stop();
  fork.remove();
});

const INFO = { name: "trivet-test", version: "1.0.0" };
const clients = {
  "v1, @modelcontextprotocol/sdk": async () => {
    const client = new ClientV1(INFO);
    // The SDK's own types disagree under exactOptionalPropertyTypes.
    await client.connect(new TransportV1(new URL(`${served.url}/mcp`)) as Parameters<ClientV1["connect"]>[0]);
    return client;
  },
  "v2, @modelcontextprotocol/client": async () => {
    const client = new ClientV2(INFO);
    await client.connect(new TransportV2(new URL(`${served.url}/mcp`)));
    return client;
  },
};

describe.each(Object.entries(clients))("%s", (_, connect) => {
  it("connects, lists and calls", async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: "trivet", version: "1.0.0" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("Math_Add");
    const result = await client.callTool({ name: "Math_Add", arguments: { a: 10, b: 5 } });
    expect(result.content).toEqual([{ type: "text", text: "15" }]);
    expect(result.structuredContent).toEqual({ value: 15 });
    await client.close();
  });

  it("gets a tool's own error as a result, and an unknown tool as an error", async () => {
    const client = await connect();
    const failed = await client.callTool({ name: "Math_Add", arguments: { a: 10, b: "infinity" } });
    expect(failed.isError).toBe(true);
    expect(failed.content).toEqual([{ type: "text", text: "Invalid arguments: b: Must be a number" }]);
    await expect(client.callTool({ name: "No_Such", arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});
