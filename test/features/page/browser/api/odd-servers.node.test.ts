/** The page against servers that break off, answer garbage, or are too old: each failure is a sentence for a person. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadCatalog } from "../../../../../src/features/page/browser/api/catalog.ts";
import { recorder } from "../../../../../src/features/page/browser/api/recorder.ts";
import { type Listeners, run } from "../../../../../src/features/page/browser/api/run.ts";
import type { Tool } from "../../../../../src/features/page/browser/lib/model.ts";
import { accessTo } from "../../../../support/node/page-tools.ts";
import { cases } from "../../../../support/tier.ts";

type Behaviour = (response: ServerResponse, request: IncomingMessage, body: string) => unknown;

const JSON_TYPE = { "content-type": "application/json" };
const SSE_TYPE = { "content-type": "text/event-stream" };
const json = (status: number, body: unknown, headers = {}): Behaviour => {
  return (response) => response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
};
const rpc = (members: object, status = 200): Behaviour => json(status, { jsonrpc: "2.0", id: 1, ...members });

let server: Server;
let url: string;
let behave: Behaviour;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    // A request on a connection that the test before has cut would fail.
    response.shouldKeepAlive = false;
    behave(response, request, await text(request));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const TOOL: Tool = {
  id: "Kit.Add",
  toolkit: "Kit",
  name: "Kit_Add",
  versions: [{ version: "1.0.0", description: "", input: {}, output: {}, requirements: {} }],
  annotations: {},
  scopes: [],
  isLong: false,
  takesFiles: false,
  keepsSession: false,
  isForViews: false,
  tokens: 1,
};
const call = (as: Behaviour, isLong: boolean, on?: Listeners) => {
  behave = as;
  return run({ tool: { ...TOOL, isLong }, input: {}, access: accessTo(url, "trivet_key") }, on);
};

const cut: Behaviour = (response) => {
  response.writeHead(200, { ...JSON_TYPE, "content-length": 100 }).write('{"result');
  setTimeout(() => response.destroy(), 20);
};
const endless: Behaviour = (response) => {
  response.writeHead(200, JSON_TYPE);
  const more = () => {
    while (!response.destroyed && response.write("x".repeat(1_000_000)));
  };
  response.on("drain", more);
  more();
};

describe.each([
  ["OXP", false],
  ["MCP", true],
] as const)("a call over %s", (_, isLong) => {
  it.each<[string, Behaviour, object]>([
    ["a body that breaks off", cut, { kind: "broken", message: expect.stringContaining("broke off") }],
    ["no response", (response) => response.destroy(), { kind: "offline" }],
    [
      "a gateway's page",
      (response) => response.writeHead(502).end("<h1>Bad gateway</h1>"),
      { kind: "broken", message: "The server answered with the status 502." },
    ],
    [
      "a page",
      (response) => response.writeHead(200).end("<h1>Welcome</h1>"),
      { kind: "broken", message: expect.stringContaining("cannot be read") },
    ],
    ["an endless body", endless, { kind: "broken", message: "The answer is too large for this page." }],
    ["nothing", (response) => response.writeHead(200).end(), { kind: "broken" }],
    ["other JSON", json(200, [1]), { kind: "broken" }],
    [
      "a redirect",
      (response) => response.writeHead(302, { location: "https://example.com/" }).end(),
      { kind: "broken", message: expect.stringContaining("redirect") },
    ],
    [
      "too many requests",
      json(429, { message: "Slow down" }, { "retry-after": "7" }),
      { kind: "busy", message: "Slow down. Try again in 7 seconds.", retryAfterMs: 7_000 },
    ],
    [
      "no credential",
      json(401, { message: "who" }, { "www-authenticate": 'Bearer realm="x", scope="a b"' }),
      { kind: "refused", needsCredential: true, scopes: ["a", "b"] },
    ],
    [
      "a scope that is missing",
      json(
        403,
        { message: "It needs the scopes a" },
        { "www-authenticate": 'Bearer error="insufficient_scope", scope="a"' },
      ),
      { kind: "refused", message: "It needs the scopes a", scopes: ["a"] },
    ],
  ])("with %s", async (_name, as, expected) => {
    expect(await call(as, isLong).done).toMatchObject({ ok: false, ...expected });
  });

  it("without an answer is ended by the person", async () => {
    const running = call(() => {}, isLong);
    setTimeout(() => running.cancel(), 50);
    expect(await running.done).toMatchObject({ kind: "cancelled" });
  });
});

describe("MCP", () => {
  it.each<[string, Behaviour, object]>([
    [
      "has no MCP",
      json(404, { message: "not found" }),
      { kind: "broken", message: expect.stringContaining("2026-07-28") },
    ],
    [
      "is too old",
      rpc({ error: { code: -32_022, message: "Unsupported" } }, 400),
      { kind: "broken", message: expect.stringContaining("2026-07-28") },
    ],
    [
      "does not know the tool",
      rpc({ error: { code: -32_602, message: "Unknown tool: Kit_Add" } }),
      { kind: "refused", message: "Unknown tool: Kit_Add" },
    ],
    ["asks for nothing", rpc({ result: { resultType: "input_required", inputRequests: 7 } }), { kind: "broken" }],
    [
      "asks what was not offered",
      rpc({ result: { resultType: "input_required", inputRequests: { a: { method: "roots/list" } } } }),
      { kind: "broken" },
    ],
    [
      "sends the person to a script",
      rpc({
        result: {
          resultType: "input_required",
          inputRequests: {
            a: { method: "elicitation/create", params: { mode: "url", message: "m", url: "javascript:alert(1)" } },
          },
        },
      }),
      { kind: "broken" },
    ],
    ["has a task without an id", rpc({ result: { resultType: "task", status: "working" } }), { kind: "broken" }],
    [
      "ends the stream without a result",
      (response) => response.writeHead(200, SSE_TYPE).end('data: {"jsonrpc":"2.0","method":"x"}\n\n'),
      { kind: "broken", message: expect.stringContaining("broke off") },
    ],
    [
      "sends blocks of unknown types",
      rpc({ result: { content: [7, { type: "hologram" }, { type: "text", text: "seen" }] } }),
      { ok: true, value: undefined, content: [{ type: "text", text: "seen" }] },
    ],
  ])("that %s", async (_name, as, expected) => {
    const question: Listeners["question"] = async () => ({ action: "accept" });
    expect(await call(as, true, { question }).done).toMatchObject(expected);
  });

  it("that streams its progress is shown while it comes", async () => {
    const told: unknown[] = [];
    const bodies: (string | undefined)[] = [];
    const running = call(
      async (response) => {
        response.writeHead(200, SSE_TYPE);
        response.write(
          'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":2,"message":"half"}}\n\n',
        );
        await new Promise((resume) => setTimeout(resume, 50));
        response.write('data: {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":3}}\n\n');
      },
      true,
      { progress: (progress) => told.push(progress), exchange: ({ responseBody }) => bodies.push(responseBody) },
    );
    expect(await running.done).toMatchObject({ ok: true, value: 3 });
    expect(told).toEqual([{ progress: 1, total: 2, message: "half" }]);
    expect(bodies.some((body) => body?.includes("half") && !body.includes("structuredContent"))).toBe(true);
  });

  it("whose progress is no number has a message all the same", async () => {
    const told: unknown[] = [];
    const as: Behaviour = (response) =>
      response
        .writeHead(200, SSE_TYPE)
        .end(
          'data: {"method":"notifications/progress","params":{"progress":1e400,"total":-1e400,"message":"far"}}\n\n' +
            'data: {"id":1,"result":{"content":[]}}\n\n',
        );
    expect(await call(as, true, { progress: (progress) => told.push(progress) }).done).toMatchObject({ ok: true });
    expect(told).toEqual([{ message: "far", progress: undefined, total: undefined }]);
  });

  it("a task goes on after answers that pass, and after the connection was lost", async () => {
    const shown: (string | undefined)[] = [];
    let polls = 0;
    const as: Behaviour = (response, request, body) => {
      const { id, method } = JSON.parse(body);
      const task = { taskId: "t", pollIntervalMs: 1, status: "working", statusMessage: "half done" };
      if (method === "tools/call") return rpc({ id, result: { resultType: "task", ...task } })(response, request, body);
      polls += 1;
      if (polls === 1) return json(429, {}, { "retry-after": "0" })(response, request, body);
      if (polls === 2) return response.writeHead(503).end("<h1>Down</h1>");
      if (polls === 3) return response.destroy();
      if (polls === 4 || polls === 5) return rpc({ id, result: task })(response, request, body);
      return rpc({ id, result: { ...task, status: "completed", result: { content: [], structuredContent: polls } } })(
        response,
        request,
        body,
      );
    };
    const { done } = call(as, true, {
      progress: ({ message }) => shown.push(message),
      waiting: ({ why }) => shown.push(why),
    });
    expect(await done).toMatchObject({ ok: true, value: 6 });
    expect(shown).toEqual([
      "half done",
      "Too many requests. Try again in 1 second. The call goes on meanwhile.",
      "The server answered with the status 503. The call goes on meanwhile.",
      "The server cannot be reached. Check your connection. The call goes on meanwhile.",
      "half done",
    ]);
  });
});

describe("the catalog", () => {
  const tool = {
    id: "Kit.Add@1.0.0",
    name: "Kit_Add",
    description: "Adds.",
    version: "1.0.0",
    input_schema: { parameters: {} },
    output_schema: {},
  };

  it("without MCP has the tools, and says what is missing", async () => {
    behave = (response, request, body) =>
      json(request.url === "/tools" ? 200 : 404, { tools: [tool] })(response, request, body);
    const { tools, problems, server: about } = await loadCatalog(accessTo(url));
    expect(tools).toMatchObject([{ id: "Kit.Add", versions: [{ version: "1.0.0" }], annotations: {} }]);
    expect(about.name).toBe(new URL(url).host);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toBe(
      "The description of the server is missing. This server does not speak MCP 2026-07-28, which this page needs.",
    );
  });

  it("without OXP has the tools of MCP, of every page", async () => {
    behave = (response, request, body) => {
      if (request.url === "/tools") return response.writeHead(502).end();
      const { id, method, params } = JSON.parse(body);
      const isFirst = params.cursor === undefined;
      const tools = [{ name: isFirst ? "Kit_Add" : "Kit_Sub", description: "", inputSchema: {} }];
      const list =
        method === "tools/list"
          ? { tools, ...(isFirst && { nextCursor: "2" }) }
          : { prompts: [], resources: [], resourceTemplates: [] };
      return rpc({ id, result: list })(response, request, body);
    };
    const { tools, problems } = await loadCatalog(accessTo(url));
    expect(tools.map(({ id }) => id)).toEqual(["Kit.Add", "Kit.Sub"]);
    expect(problems).toEqual(["The list of tools is missing. The server answered with the status 502."]);
  });

  it("has only names that an address can have", async () => {
    const lone = "\ud800";
    behave = (response, request, body) => {
      if (request.url === "/tools")
        return json(200, { tools: [{ ...tool, id: `Kit.${lone}@1.0.0`, name: `Kit_${lone}` }] })(
          response,
          request,
          body,
        );
      const { id } = JSON.parse(body);
      const result = {
        capabilities: { prompts: {}, resources: {} },
        tools: [],
        prompts: [{ name: lone, arguments: [{ name: lone }] }],
        resources: [{ uri: `kit://${lone}` }],
        resourceTemplates: [{ uriTemplate: `kit://${lone}/{id}` }],
      };
      return rpc({ id, result })(response, request, body);
    };
    const { tools, prompts, resources, templates } = await loadCatalog(accessTo(url));
    expect({ tools, prompts, resources, templates }).toMatchObject({
      tools: [{ id: "Kit.\ufffd", name: "Kit_\ufffd" }],
      prompts: [{ name: "\ufffd", arguments: [{ name: "\ufffd" }] }],
      resources: [{ uri: "kit://\ufffd", name: "kit://\ufffd" }],
      templates: [{ uriTemplate: "kit://\ufffd/{id}" }],
    });
  });

  it("of a server that is busy, or away, is an error", async () => {
    behave = json(429, { message: "Slow down" }, { "retry-after": "7" });
    await expect(loadCatalog(accessTo(url))).rejects.toMatchObject({ name: "Refused", retryAfterMs: 7_000 });
    behave = (response) => response.destroy();
    await expect(loadCatalog(accessTo(url))).rejects.toMatchObject({ name: "Unreachable", reason: "offline" });
  });
});

describe("a recorder", () => {
  it("cuts what is too long, and hides secrets of every length", async () => {
    behave = (response, _request, body) => response.writeHead(200).end(body + "z".repeat(1_500_000));
    const { fetch: send, exchanges } = recorder({ secrets: ["a", 'q"uoted', ""] });
    const body = JSON.stringify({ value: "a", note: 'banana q"uoted' });
    const whole = await (
      await send(`${url}/other`, { method: "POST", body, headers: { Authorization: "Bearer abc" } })
    ).text();
    expect(whole).toHaveLength(body.length + 1_500_000);
    const [exchange] = exchanges;
    expect(exchange).toMatchObject({ protocol: "OXP", requestBody: '{"value":"•••","note":"banana •••"}' });
    expect(exchange?.requestHeaders.authorization).toBe("Bearer •••");
    expect(exchange?.responseBody).toMatch(/z\n… and \d+ characters more, which are not shown here$/);
  });

  const SECRET = 'p/a "ß\\😀\n1';
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const inUnicode = (text: string) =>
    text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  it.each([
    ["as it is", SECRET],
    ["in JSON", inJson(SECRET)],
    ["in JSON in JSON", inJson(inJson(SECRET))],
    ["in JSON in JSON in JSON", inJson(inJson(inJson(SECRET)))],
    ["with escaped slashes", inJson(SECRET).replaceAll("/", "\\/")],
    ["with escaped slashes in JSON", inJson(inJson(SECRET).replaceAll("/", "\\/"))],
    ["in numbers", inUnicode(SECRET)],
    ["in numbers in JSON", inJson(inUnicode(SECRET).toLowerCase())],
    ["in a URL", encodeURIComponent(SECRET)],
    ["in a URL, in small letters", encodeURIComponent(SECRET).toLowerCase()],
    ["in a form", new URLSearchParams({ "": SECRET }).toString().slice(1)],
  ])("hides a secret %s", async (_name, spelled) => {
    behave = (response) => response.writeHead(200, { "x-echo": `<${encodeURIComponent(SECRET)}>` }).end(`<${spelled}>`);
    const { fetch: send, exchanges } = recorder({ secrets: [SECRET] });
    await (await send(`${url}/other`, { method: "POST", body: `<${spelled}>` })).text();
    expect(exchanges).toMatchObject([
      { requestBody: "<•••>", responseBody: "<•••>", responseHeaders: { "x-echo": "<•••>" } },
    ]);
  });

  it("hides a secret where it cuts, and one that comes in pieces", async () => {
    const secret = "a-secret-of-the-carrier";
    const body = `${"z".repeat(1_000_000 - 8)}${secret}${"z".repeat(100)}`;
    const shown: string[] = [];
    const pieces = async (response: ServerResponse, text: string) => {
      response.writeHead(200);
      for (let at = 0; at < text.length; at += 50_000) response.write(text.slice(at, at + 50_000));
      response.write(secret.slice(0, 10));
      await new Promise((resume) => setTimeout(resume, 50));
      response.end(secret.slice(10));
    };
    const { fetch: send, exchanges } = recorder({
      secrets: [secret, "s"],
      onChange: ({ responseBody = "" }) => shown.push(responseBody.slice(-100)),
    });
    for (const text of [body, "short "]) {
      behave = (response) => pieces(response, text);
      await (await send(`${url}/other`, { method: "POST", body })).text();
    }
    for (const text of [...shown, exchanges[0]?.requestBody ?? ""])
      expect(text.slice(-200)).not.toMatch(/z(a-s|a-$)|short a/);
    expect(exchanges[0]?.requestBody?.slice(-100)).toMatch(/z•••\n… and \d+ characters more/);
    expect(exchanges[1]?.responseBody).toBe("short •••");
  });

  it("knows a long secret, and is not slowed down by it", async () => {
    const secret = `${"\\".repeat(3)}${"k".repeat(5_000)}`;
    const backslashes = "\\".repeat(cases(20_000, 200_000));
    behave = (response) => response.writeHead(200).end(JSON.stringify({ secret }) + backslashes);
    const { fetch: send, exchanges } = recorder({ secrets: [secret] });
    await (await send(`${url}/other`, {})).text();
    expect(exchanges[0]?.responseBody).not.toContain("k");
  });

  it("hides what the schema of the input calls a password", async () => {
    const password = { type: "string", format: "password" };
    const input = {
      $defs: { login: { properties: { pin: password, name: { type: "string" } } } },
      properties: {
        login: { $ref: "#/$defs/login" },
        more: { anyOf: [{ type: "null" }, { type: "array", items: { allOf: [password] } }, { $ref: "#" }] },
      },
      additionalProperties: password,
    };
    behave = (response, _request, body) =>
      json(200, { result: { success: true, value: body } })(response, _request, body);
    const tool = { ...TOOL, versions: [{ version: "1.0.0", description: "", input, output: {}, requirements: {} }] };
    const given = { login: { pin: "hunter-1", name: "Ada Lovelace" }, more: ["hunter-2", { x: 1 }], other: "hunter-3" };
    const { done, exchanges } = run({ tool, input: given, access: accessTo(url) });
    await done;
    const { requestBody = "", responseBody } = exchanges[0] ?? {};
    expect(JSON.parse(requestBody).request.input).toEqual({
      login: { pin: "•••", name: "Ada Lovelace" },
      more: ["•••", { x: 1 }],
      other: "•••",
    });
    expect(responseBody).toContain("Ada Lovelace");
    expect(responseBody).not.toContain("hunter");
  });

  it("notes that there was no response", async () => {
    behave = (response) => response.destroy();
    const { fetch: send, exchanges } = recorder();
    await expect(send(`${url}/mcp`, {})).rejects.toThrow();
    expect(exchanges).toMatchObject([{ protocol: "MCP", method: "GET", failure: "There was no response." }]);
  });
});

/** docs/limits.md, Silent calls: their headers are sent before it is known what they lack. */
describe("an answer that began before its call had ended", () => {
  const picture = { type: "image", data: "AAAA", mimeType: "image/png" };
  /** Over OXP as given, over MCP with a picture. */
  const late =
    (result: object, isKept = true): Behaviour =>
    (response, request, body) => {
      if (request.url === "/mcp") {
        const content = isKept ? { result: { content: [picture] } } : { error: { code: -32_603, message: "Not kept" } };
        return rpc(content)(response, request, body);
      }
      response.writeHead(200, JSON_TYPE).write(" ");
      response.end(JSON.stringify({ result: { call_id: "c", duration: 1, ...result } }));
    };

  it("is asked for its pictures over MCP", async () => {
    const outcome = await call(late({ success: true, value: 7 }), false).done;
    expect(outcome).toMatchObject({ ok: true, value: 7, content: [{ type: "image" }] });
  });

  it("is as it is if there are none to be had", async () => {
    const outcome = await call(late({ success: true, value: 7 }, false), false).done;
    expect(outcome).toMatchObject({ ok: true, value: 7, content: [] });
  });

  it("is sent again over MCP if it asks", async () => {
    const error = { message: "The tool needs an answer first", developer_message: "Over MCP.\nover-mcp: question" };
    const on = { question: async () => ({ action: "decline" }) as never };
    const outcome = await call(late({ success: false, error }), false, on).done;
    expect(outcome).toMatchObject({ ok: true, content: [{ type: "image" }] });
  });
});
