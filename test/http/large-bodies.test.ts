/** Large bodies of calls under way: how many bytes of a principal's an isolate holds, and until when. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { bodyLimit } from "../../src/http/body.ts";
import { impatiently } from "../support/clock.ts";
import { newCaller } from "../support/files.ts";
import { HOST, post } from "../support/http.ts";
import { BOTH, EVERYTHING } from "../support/mcp.ts";
import { modern, modernRequest } from "../support/modern-client.ts";
import { completed } from "../support/oxp.ts";

type Headers = Record<string, string>;
/** Five of these fit. */
const BYTES = 1_040_000;
const padded = (text: string, bytes = BYTES) => `${text.slice(0, -1)},"junk":"${"x".repeat(bytes - text.length)}"}`;

function raw(path: string, body: string | ReadableStream, headers: Headers): Promise<Response> {
  const type = { "content-type": "application/json" };
  return exports.default.fetch(`${HOST}${path}`, { method: "POST", headers: { ...type, ...headers }, body });
}

const length = (text: string) => ({ "content-length": String(text.length) });
const oxpBody = (name: string) =>
  JSON.stringify({ request: { tool_id: "Counter.Lingers", input: { name, ending: "value" } } });
const openToolBody = (name: string) =>
  JSON.stringify({ jsonrpc: "2.0", id: "i", method: "Counter_Lingers", params: { name, ending: "value" } });

function overMcp(name: string, headers: Headers, more: Headers = {}) {
  const params = { name: "Counter_Lingers", arguments: { name, ending: "value" } };
  const made = modernRequest("tools/call", params, {});
  const body = padded(JSON.stringify(made.message));
  return raw("/mcp", body, { ...made.headers, ...more, ...headers, ...length(body) });
}

const KINDS: [string, (name: string, headers: Headers) => Promise<Response>][] = [
  [
    "over OXP",
    (name, headers) => raw("/tools/call", padded(oxpBody(name)), { ...headers, ...length(padded(oxpBody(name))) }),
  ],
  ["over OpenTool", (name, headers) => raw("/opentool/call", padded(openToolBody(name)), headers)],
  ["over OpenTool, with events", (name, headers) => raw("/opentool/streamCall", padded(openToolBody(name)), headers)],
  ["over MCP", (name, headers) => overMcp(name, headers, { accept: "application/json" })],
  ["over MCP, with streams", (name, headers) => overMcp(name, headers, BOTH)],
  [
    "in a batch",
    (name, headers) => {
      const params = { name: "Counter_Lingers", arguments: { name, ending: "value" } };
      const one = padded(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), BYTES - 2);
      return raw("/mcp", `[${one}]`, headers);
    },
  ],
];

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

describe("calls with large bodies", () => {
  it.each(KINDS)("%s hold their room until they have ended; a further one is told to come back", async (_, call) => {
    const caller = newCaller();
    const names = Array.from({ length: 5 }, () => crypto.randomUUID());
    const calling = names.map((name) => call(name, caller));
    await pause(500);
    const text = padded(JSON.stringify({ request: { tool_id: "Calculator.None" } }));
    const busy = () => impatiently(() => post("/tools/call", text, { ...caller, ...length(text) }));
    const { status, headers, body } = await busy();
    expect([status, headers.get("retry-after"), body.message]).toEqual([
      ...[429, "5", "Too many of your large requests are running: send this one again when another has ended"],
    ]);
    for (const path of ["/opentool/call", "/mcp", "/api/v1/files/presign-upload"]) {
      const refused = await impatiently(() => post(path, text, { ...caller, ...length(text) }));
      expect([path, refused.status, refused.headers.get("retry-after")]).toEqual([path, 429, "5"]);
    }
    // Neither small ones nor other principals wait.
    expect((await impatiently(() => post("/tools/call", "{}", { ...caller, "content-length": "2" }))).status).toBe(400);
    expect((await impatiently(() => post("/tools/call", text, { ...newCaller(), ...length(text) }))).status).toBe(400);
    // One that comes while they go on is answered as soon as one of them has ended.
    const waiting = post("/tools/call", text, { ...caller, ...length(text) });
    await completed("Counter.LetGo", { name: names[0] });
    expect((await waiting).status).toBe(400);
    await Promise.all(names.slice(1).map((name) => completed("Counter.LetGo", { name })));
    for (const response of await Promise.all(calling)) await response.text();
    expect((await busy()).status).toBe(400);
  });

  it("hold it also if they are small, but take much when they are copied", async () => {
    const caller = newCaller();
    const names = Array.from({ length: 2 }, () => crypto.randomUUID());
    const junk = Array(700).fill({ 900: 1 });
    const body = (name: string) => JSON.stringify({ ...JSON.parse(oxpBody(name)), junk });
    const send = (text: string) => raw("/tools/call", text, { ...caller, ...length(text) });
    const calling = names.map((name) => send(body(name)));
    await pause(300);
    expect((await send(JSON.stringify({ junk }))).status).toBe(429);
    const disguised = JSON.stringify({ junk: junk.slice(0, 350) }).replaceAll('"900"', '"\\u003900"');
    expect([disguised.length < 8_192, (await send(disguised)).status]).toEqual([true, 429]);
    expect((await send("{}")).status).toBe(400);
    await Promise.all(names.map((name) => completed("Counter.LetGo", { name })));
    for (const response of await Promise.all(calling))
      expect((await response.json()) as object).toHaveProperty("result");
    expect((await send(JSON.stringify({ junk }))).status).toBe(400);
  });

  it("keep it when their response has begun", async () => {
    const caller = newCaller();
    const names = Array.from({ length: 5 }, () => crypto.randomUUID());
    const body = (name: string) => padded(oxpBody(name));
    const responses = await Promise.all(names.map((name) => raw("/tools/call", body(name), caller)));
    const text = padded("{}");
    const next = () => impatiently(() => post("/tools/call", text, { ...caller, ...length(text) }));
    expect((await next()).status).toBe(429);
    await Promise.all(names.map((name) => completed("Counter.LetGo", { name })));
    for (const response of responses) expect(await response.json()).toMatchObject({ result: { success: true } });
    expect((await next()).status).toBe(400);
  });

  it.each<[string, (name: string, headers: Headers) => Promise<Response>]>([
    [
      "over OXP",
      (name, headers) => {
        const request = { tool_id: "Talk.LateTally", call_id: crypto.randomUUID(), input: { name } };
        return raw("/tools/call", padded(JSON.stringify({ request })), headers);
      },
    ],
    [
      "over OpenTool, with events",
      (name, headers) => {
        const message = { jsonrpc: "2.0", id: "i", method: "Talk_LateTally", params: { name } };
        const key = { "idempotency-key": crypto.randomUUID() };
        return raw("/opentool/streamCall", padded(JSON.stringify(message)), { ...headers, ...key });
      },
    ],
    [
      "over MCP",
      (name, headers) => {
        const params = { name: "Talk_LateTally", arguments: { name, idempotency_key: crypto.randomUUID() } };
        const made = modernRequest("tools/call", params, {});
        return raw("/mcp", padded(JSON.stringify(made.message)), { ...made.headers, ...headers });
      },
    ],
  ])("%s keep it for up to 30 s while their tool goes on after its time limit, if they have a key", async (_, call) => {
    const caller = newCaller();
    const names = Array.from({ length: 5 }, () => crypto.randomUUID());
    for (const name of names) expect(await (await call(name, caller)).text()).toMatch(/took longer than|time limit of/);
    const text = padded("{}");
    const next = () => impatiently(() => post("/tools/call", text, { ...caller, ...length(text) }));
    expect((await next()).status).toBe(429);
    await Promise.all(names.map((name) => completed("Counter.LetGo", { name })));
    expect((await post("/tools/call", text, { ...caller, ...length(text) })).status).toBe(400);
  });

  it("of many objects count as half of the room, because parsed they take many times their length", async () => {
    const caller = newCaller();
    const names = Array.from({ length: 2 }, () => crypto.randomUUID());
    const withObjects = (text: string) => `${text.slice(0, -1)},"junk":[${Array(90_000).fill("{}").join(",")}]}`;
    const calling = names.map((name) => raw("/tools/call", withObjects(oxpBody(name)), caller));
    await pause(1_000);
    const { status, headers } = await post("/tools/call", withObjects('{"a":1}'), caller);
    expect([status, headers.get("retry-after")]).toEqual([429, "5"]);
    await Promise.all(names.map((name) => completed("Counter.LetGo", { name })));
    for (const response of await Promise.all(calling)) expect(response.status).toBe(200);
    expect((await post("/tools/call", withObjects('{"a":1}'), caller)).status).toBe(400);
  });

  it("count with the bytes that they have, announced or not: forty of 100 kB go on at a time", async () => {
    const caller = newCaller();
    const names = Array.from({ length: 40 }, () => crypto.randomUUID());
    const calling = names.map(async (name, at) => {
      const text = padded(oxpBody(name), 100_000);
      const body = at % 2 ? text : (new Response(text).body as ReadableStream);
      return raw("/tools/call", body, at % 2 ? { ...caller, ...length(text) } : caller);
    });
    await pause(1_000);
    const text = padded("{}", 100_000);
    const { status } = await impatiently(() => post("/tools/call", text, { ...caller, ...length(text) }));
    expect(status).toBe(400);
    await Promise.all(names.map((name) => completed("Counter.LetGo", { name })));
    for (const response of await Promise.all(calling)) expect(response.status).toBe(200);
  });
});

describe("the room of the answers in a requestState", () => {
  it.each([
    ["refused", []],
    ["asked again", {}],
  ])("is free when their call has ended, also if it is %s at once", async (_, inputResponses) => {
    const headers = newCaller();
    const params = { name: "Talk_Ask", arguments: { what: "two rounds" } };
    const ask = (more: object) => modern("tools/call", { ...params, ...more }, { headers, capabilities: EVERYTHING });
    const { requestState } = (await ask({})).body.result;
    // Two of these would take all the room.
    const name = { action: "accept", content: { name: "Ann" }, junk: Array(90_000).fill({}) };
    const second = (await ask({ requestState, inputResponses: { name } })).body.result;
    for (let call = 0; call < 5; call++) {
      expect((await ask({ requestState: second.requestState, inputResponses })).status).toBe(200);
    }
  });
});

it("there is room for two of the largest bodies, however large they may be", () => {
  const limit = bodyLimit(50_000_000);
  expect([limit, limit, limit].map((one) => one.begin("x", 50_000_000) !== undefined)).toEqual([true, true, false]);
});

describe.each(["/tools/call", "/opentool/call", "/mcp"])("a body for %s", (path) => {
  const list = (count: number, one: string) => `{"jsonrpc":"2.0","id":7,"list":[${Array(count).fill(one).join(",")}]}`;

  it.each([
    ["objects", list(99_999, "{}")],
    ["lists", list(99_999, "[]")],
    ["nested ones", list(50_000, '{"a":[]}')],
    ["objects of which a copy has a place for each number", list(1_000, '{"900":1}')],
  ])("may have 100,000 objects and lists, and no more: %s", async (_, text) => {
    const caller = newCaller();
    const { status, body } = await post(path, text, caller);
    expect([status, JSON.stringify(body)]).toEqual([413, expect.stringContaining("over 100000 objects and lists")]);
    if (path !== "/tools/call") expect(body.id).toBe(7);
    expect((await post(path, list(99_998, "{}"), caller)).status).toBe(400);
  });

  it("may have numbers as keys of which a copy takes little", async () => {
    for (const row of ['{"2024":1}', '{"0":1,"1":2,"2":3}', '{"x900":1}', '{"900.5":1}'])
      expect([row, (await post(path, list(10_000, row))).status]).toEqual([row, 400]);
    expect((await post(path, list(10, '{"900":1}'))).status).toBe(400);
  });

  it("may have any number of other values", async () => {
    expect((await post(path, list(400_000, "1"))).status).toBe(400);
    expect((await post(path, list(100_000, '"{[{["'))).status).toBe(400);
  });
});
