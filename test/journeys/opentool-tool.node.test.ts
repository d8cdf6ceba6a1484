/**
 * An existing tool of an OpenTool server, mounted as a toolkit: it is called over all three protocols, and a client of
 * its old server notices nothing. That server is written here from OpenTool's documents alone.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Weather } from "../fixtures/opentool/weather/_weather.ts";
import { type Fork, makeFork, type ServedBuilt, serveBuilt } from "../support/node/fork.ts";
import { postJson } from "../support/node/http.ts";

let fork: Fork;
let served: ServedBuilt;
let old: Server;
beforeAll(async () => {
  old = await serveOld(new Weather());
  fork = makeFork("test/fixtures/opentool");
  served = await serveBuilt(fork);
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
  old?.close();
});

/** OpenTool Client-Server Communication Specification 1.0.0, section 2. */
async function serveOld(tool: Weather): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { method, params, id } = (await json(request)) as { method: string; params: object; id: string };
    const answer = await tool.call(method, params).then(
      (result) => ({ result, error: null }),
      (error) => ({ result: {}, error: { code: 500, message: String(error) } }),
    );
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", ...answer, id }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

/** Calls a function of an OpenTool server. */
async function call(url: string, method: string, params: object) {
  const { status, body } = await postJson(`${url}/opentool/call`, { jsonrpc: "2.0", method, params, id: "1" });
  expect(status).toBe(200);
  return body as { result: object; error: { code: number; message: string } | null };
}

async function oxp(tool: string, input: object) {
  const { status, body } = await postJson(`${served.url}/tools/call`, { request: { tool_id: tool, input } });
  return { status, ...body, ...body.result };
}

const CALLS: [name: string, id: string, params: object, result: object][] = [
  ["getForecast", "Weather.GetForecast", { city: "Oslo", days: 3 }, { forecast: "-3 °C for 3 days" }],
  ["getForecast", "Weather.GetForecast", { city: "Rome" }, { forecast: "14.5 °C for 1 days" }],
  ["find-station", "Weather.FindStation", { city: "Oslo" }, { city: "Oslo", celsius: -3 }],
  ["record", "Weather.Record", { measured: { city: "Bonn", celsius: 9 } }, { result: "Recorded." }],
  [
    "list_stations",
    "Weather.ListStations",
    {},
    {
      stations: [
        { city: "Oslo", celsius: -3 },
        { city: "Rome", celsius: 14.5 },
        { city: "Bonn", celsius: 9 },
      ],
    },
  ],
];

it("OpenTool answers as the old server does, under the old names", async () => {
  const { port } = old.address() as AddressInfo;
  for (const [name, , params, result] of CALLS) {
    const before = await call(`http://127.0.0.1:${port}`, name, params);
    expect(before).toMatchObject({ result, error: null });
    expect(await call(served.url, name, params), name).toEqual(before);
  }
});

it("OXP and MCP give the same values, under ids and the old names", async () => {
  const client = new Client({ name: "trivet-test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
  // The client compiles the outputs that are listed, and checks what it gets against them.
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    ...["fail", "find-station", "getForecast", "list_stations", "record"],
  ]);
  for (const [name, id, params, result] of CALLS) {
    expect(await oxp(id, params), id).toMatchObject({ success: true, value: result });
    expect((await client.callTool({ name, arguments: { ...params } })).structuredContent, name).toEqual(result);
  }
  await client.close();
});

it("its listings say what the description says", async () => {
  const listed = await (await fetch(`${served.url}/tools`)).json();
  const { items } = listed as { items: { id: string; version: string; input_schema: { parameters: object } }[] };
  const forecast = items.find(({ id }) => id.startsWith("Weather.GetForecast"));
  expect(forecast).toMatchObject({
    id: "Weather.GetForecast@2.1.0",
    description: "Forecasts the weather of a city.",
    input_schema: {
      parameters: {
        properties: {
          city: { type: "string", description: "Where." },
          days: { type: "integer", description: "days. One of 1, 3, 7." },
        },
        required: ["city"],
      },
    },
    output_schema: { type: "object", properties: { forecast: { type: "string", description: "In words." } } },
  });
  const document = await (await fetch(`${served.url}/opentool/load`)).json();
  const { functions } = document as { functions: { name: string; parameters: object[] }[] };
  const described = new Map(functions.map((each) => [each.name, each]));
  for (const { name, parameters } of (await new Weather().load()).functions) {
    expect(described.get(name)?.parameters.length, name).toBe(parameters.length);
  }
});

it("input is checked before it reaches the tool", async () => {
  for (const params of [{}, { city: 1 }, { city: "Oslo", days: 2 }, { city: "Oslo", days: "3" }]) {
    expect((await call(served.url, "getForecast", params)).error?.code, JSON.stringify(params)).toBe(422);
    expect((await oxp("Weather.GetForecast", params)).status).toBe(422);
  }
});

describe("a failure", () => {
  it.each([
    ["getForecast", "Weather.GetForecast", { city: "Atlantis" }, "Invalid Arguments: no station in Atlantis"],
    ["fail", "Weather.Fail", { how: "break" }, "The thermometer is broken"],
    ["fail", "Weather.Fail", { how: "plain" }, "The barometer is broken"],
  ])("that the tool means has its message: %s %s %o", async (name, id, params, message) => {
    expect((await call(served.url, name, params)).error).toMatchObject({ code: 500, message });
    expect(await oxp(id, params)).toMatchObject({ success: false, error: { message, can_retry: false } });
  });

  it.each(["library", "own code", "text"])("of another kind has the fixed sentence: %s", async (how) => {
    const message = "The tool failed because of an internal error.";
    const answer = await call(served.url, "fail", { how });
    expect(answer.error).toMatchObject({ code: 500, message });
    expect(JSON.stringify([answer, await oxp("Weather.Fail", { how })])).not.toContain("s3cret");
    expect(served.logs().join("\n")).toContain("s3cret");
  });
});
