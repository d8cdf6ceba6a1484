/**
 * Tools that only views may call (`visibility: ["app"]`), over real HTTP: hosts that show views list and call them. For
 * everyone else they do not exist, because only such a host knows to keep them from its model (MCP Apps, Visibility).
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postJson } from "../../support/node/http.ts";
import { type Long, modern, serveLong, TASKS } from "../../support/node/long.ts";
import { tool } from "../../support/node/project.ts";
import { type Client, clients, SHOWS } from "../../support/node/views.ts";

const HIDDEN = tool({ visibility: '["app"]', output: "v.number()", run: "() => 7" });
const TOOLS = {
  "panel/show.ts": tool(),
  "panel/refresh.ts": HIDDEN,
  "panel/both.ts": tool({ visibility: '["model", "app"]' }),
  "panel/model.ts": tool({ visibility: '["model"]' }),
  // All of a toolkit is for views.
  "inner/only.ts": HIDDEN,
  // The newest version is for views, the one before it for everyone; and the reverse.
  "moved/away@1.ts": tool({ run: "() => 'old'" }),
  "moved/away.ts": tool({ version: '"2.0.0"', visibility: '["app"]', run: "() => 'new'" }),
  "moved/back@1.ts": tool({ visibility: '["app"]', run: "() => 'old'" }),
  "moved/back.ts": tool({ version: '"2.0.0"', run: "() => 'new'" }),
  "panel/slow.ts": tool({ visibility: '["app"]', long: "true", run: "() => 'slow'" }),
};
const FOR_ALL = ["Moved_Away", "Moved_Back", "Panel_Both", "Panel_Model", "Panel_Show"];
const FOR_VIEWS = [...FOR_ALL, "Inner_Only", "Panel_Refresh", "Panel_Slow"].sort();

let server: Long;
let url: string;
let showing: Client[];
let others: Client[];
beforeAll(async () => {
  server = await serveLong({ tools: TOOLS });
  ({ url } = server);
  showing = await clients(url, SHOWS);
  others = [
    ...(await clients(url, {})),
    ...(await clients(url, { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/uri-list"] } } })),
  ];
});
afterAll(() => server?.stop());

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
const bare = async (method: string, params: object = {}, path = "/mcp") =>
  (await postJson(`${url}${path}`, rpc(method, params))).body;
const get = async (path: string) => (await fetch(`${url}${path}`)).json() as Promise<never>;

type Ask = Client["ask"];
const asksFor: [string, () => Ask][] = [
  ["a client of 2025-11-25 that shows no views", () => (others[0] as Client).ask],
  ["a client of 2026-07-28 that shows no views", () => (others[1] as Client).ask],
  ["a client of 2025-11-25 that shows other views", () => (others[2] as Client).ask],
  ["a client of 2026-07-28 that shows other views", () => (others[3] as Client).ask],
  ["a bare client", () => bare],
];

async function listed(ask: Ask, path?: string): Promise<string[]> {
  const { result } = await ask("tools/list", {}, path);
  return result.tools.map(({ name }: { name: string }) => name).sort();
}

async function textOf(ask: Ask, name: string, path?: string): Promise<string> {
  const { result } = await ask("tools/call", { name, arguments: { a: "x" } }, path);
  return result.content[0].text;
}

describe.each([
  ["2025-11-25", 0],
  ["2026-07-28", 1],
] as const)("a host of %s that shows views", (_revision, at) => {
  const ask: Ask = (...all) => (showing[at] as Client).ask(...all);

  it("lists them, on all paths", async () => {
    expect(await listed(ask)).toEqual(FOR_VIEWS);
    expect(await listed(ask, "/panel/mcp")).toEqual(FOR_VIEWS.filter((name) => name.startsWith("Panel_")));
    expect(await listed(ask, "/inner/mcp")).toEqual(["Inner_Only"]);
  });

  it("calls them, and the newest version of a tool", async () => {
    expect(await textOf(ask, "Panel_Refresh")).toBe("7");
    expect(await textOf(ask, "Inner_Only", "/inner/mcp")).toBe("7");
    expect(await textOf(ask, "Moved_Away")).toBe("new");
    expect(await textOf(ask, "Moved_Back")).toBe("new");
  });

  it("gets the result of a long one", async () => {
    let args: object = { a: `x${at}` };
    for (;;) {
      const { result } = await ask("tools/call", { name: "Panel_Slow", arguments: args });
      if (!result._meta?.task_id) return expect(result.content[0].text).toBe("slow");
      args = { ...args, task_id: result._meta.task_id };
    }
  });
});

it("ChatGPT, which is known by its name, calls them", async () => {
  for (const { ask } of await clients(url, {}, {}, "openai-mcp")) expect(await textOf(ask, "Panel_Refresh")).toBe("7");
});

it("a host that shows views follows the task of a long one; another has no such task", async () => {
  const capabilities = { extensions: { ...SHOWS.extensions, ...TASKS.extensions } };
  const call = { name: "Panel_Slow", arguments: { a: "followed" } };
  const { taskId } = (await modern(url, "tools/call", call, { capabilities })).body.result;
  expect(taskId).toEqual(expect.any(String));
  let task: { status: string; result?: { content: { text: string }[] } } = { status: "working" };
  while (task.status === "working") task = (await modern(url, "tasks/get", { taskId }, { capabilities })).body.result;
  expect(task.result?.content[0]?.text).toBe("slow");
  const { error } = (await modern(url, "tasks/get", { taskId }, { capabilities: TASKS })).body;
  expect(error.message).toContain("Task not found");
});

describe.each(asksFor)("%s", (_name, asking) => {
  it("lists none of them, on any path", async () => {
    const ask = asking();
    expect(await listed(ask)).toEqual(FOR_ALL);
    expect(await listed(ask, "/panel/mcp")).toEqual(FOR_ALL.filter((name) => name.startsWith("Panel_")));
    expect(await listed(ask, "/inner/mcp")).toEqual([]);
    const all = await Promise.all(["initialize", "resources/list", "prompts/list"].map((method) => ask(method)));
    expect(JSON.stringify(all)).not.toMatch(/Refresh|Inner|Slow/);
  });

  it("is answered as if they did not exist, with and without arguments that are reserved", async () => {
    const ask = asking();
    for (const more of [{}, { idempotency_key: "k" }, { task_id: "t" }, { session: "s" }]) {
      for (const [hidden, unknown] of [
        ["Panel_Refresh", "Panel_Nothing"],
        ["Panel_Slow", "Panel_None"],
        ["Inner_Only", "Inner_None"],
      ] as const) {
        const call = (name: string) => ask("tools/call", { name, arguments: { a: "x", ...more } });
        const [one, other] = [await call(hidden), await call(unknown)];
        expect(JSON.stringify(one).replaceAll(hidden, unknown)).toBe(JSON.stringify(other));
        expect(one.error.message).toContain("Unknown tool");
      }
    }
  });

  it("calls the version that is for everyone", async () => {
    expect(await textOf(asking(), "Moved_Away")).toBe("old");
    expect(await textOf(asking(), "Moved_Back")).toBe("new");
  });
});

describe("over OXP and OpenTool", () => {
  it("no listing and no document has them", async () => {
    const { tools } = (await get("/tools")) as { tools: { id: string }[] };
    expect(tools.map(({ id }) => id)).toEqual([
      "Moved.Away@1.0.0",
      "Moved.Back@2.0.0",
      "Panel.Both@1.0.0",
      "Panel.Model@1.0.0",
      "Panel.Show@1.0.0",
    ]);
    const { functions } = (await get("/opentool/load")) as { functions: { name: string }[] };
    expect(functions.map(({ name }) => name)).toEqual(FOR_ALL);
    const texts = [
      "/openapi.json",
      "/panel/openapi.json",
      "/inner/tools",
      "/inner/opentool/load",
      "/inner/openapi.json",
    ];
    for (const path of [...texts, "/", "/server.json", "/mcp/server-card", "/.well-known/ai-catalog.json"]) {
      const text = await (await fetch(`${url}${path}`)).text();
      expect(text, path).not.toMatch(/Refresh|Inner[._]Only|Slow/);
    }
  });

  it.each([
    ["OXP", "/tools/call", (id: string) => ({ request: { tool_id: id, input: { a: "x" } } })],
    ["OXP with a version", "/tools/call", (id: string) => ({ request: { tool_id: `${id}@1.0.0`, input: {} } })],
    ["OXP with a key", "/tools/call", (id: string) => ({ request: { call_id: "k", tool_id: id, input: {} } })],
    [
      "OpenTool",
      "/opentool/call",
      (id: string) => ({ jsonrpc: "2.0", id: 1, method: id.replace(".", "_"), params: {} }),
    ],
    [
      "OpenTool with an id of OXP",
      "/opentool/call",
      (id: string) => ({ jsonrpc: "2.0", id: 1, method: id, params: {} }),
    ],
    ["a path of OpenAPI", "/tools/call/:tool", () => ({ input: { a: "x" } })],
  ])("%s answers a call as if they did not exist", async (_name, path, body) => {
    for (const [hidden, unknown] of [
      ["Panel.Refresh", "Panel.Nothing"],
      ["Panel.Slow", "Panel.None"],
    ] as const) {
      const call = async (id: string) => {
        const { status, body: answer } = await postJson(`${url}${path.replace(":tool", id)}`, body(id));
        return JSON.stringify([status, answer]).replaceAll(id.replace(".", "_"), "?").replaceAll(id, "?");
      };
      const answer = await call(hidden);
      expect(answer).toBe(await call(unknown));
      expect(answer).toMatch(/Unknown function|was not found/);
    }
  });

  it("a version that is for views does not exist beside one that is not", async () => {
    const call = async (id: string) =>
      (await postJson(`${url}/tools/call`, { request: { tool_id: id, input: { a: "x" } } })).body;
    expect((await call("Moved.Away")).result.value).toBe("old");
    expect((await call("Moved.Back")).result.value).toBe("new");
    const [hidden, unknown] = [await call("Moved.Away@2.0.0"), await call("Moved.Away@3.0.0")];
    expect(JSON.stringify(hidden).replaceAll("2.0.0", "3.0.0")).toBe(JSON.stringify(unknown));
  });
});

it("a client's listing is its own, whoever listed before it", async () => {
  for (const _ of [0, 1]) {
    expect(await listed((showing[1] as Client).ask)).toEqual(FOR_VIEWS);
    expect(await listed((others[1] as Client).ask)).toEqual(FOR_ALL);
  }
});
