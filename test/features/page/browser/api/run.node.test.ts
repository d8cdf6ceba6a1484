/** The page's calls and listings against the built Worker, which wants a key. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { MadeKey } from "../../../../../src/cli/keys/make.ts";
import { tokensOfTool } from "../../../../../src/core/lib/token-estimate.ts";
import { loadCatalog } from "../../../../../src/features/page/browser/api/catalog.ts";
import { upload } from "../../../../../src/features/page/browser/api/files.ts";
import { Mcp, type Question } from "../../../../../src/features/page/browser/api/mcp.ts";
import type { Exchange } from "../../../../../src/features/page/browser/api/recorder.ts";
import { type Call, type Listeners, run } from "../../../../../src/features/page/browser/api/run.ts";
import type { Catalog } from "../../../../../src/features/page/browser/lib/model.ts";
import { keysOf } from "../../../../support/node/deployed.ts";
import { BINDINGS } from "../../../../support/node/files.ts";
import { type Long, serveLong, WORKFLOW } from "../../../../support/node/long.ts";
import { accessTo, TOOLS } from "../../../../support/node/page-tools.ts";

const CONTEXT = {
  secrets: [{ id: "CARRIER_KEY", value: "a-secret-of-the-carrier" }],
  authorization: [{ id: "carrier-login", token: "xy" }],
  user_id: "ada",
};

let server: Long;
/** Two keys: one that opens every tool, and one without scopes. */
let ada: MadeKey;
let poor: MadeKey;
let catalog: Catalog;
beforeAll(async () => {
  server = await serveLong({
    tools: TOOLS,
    closed: true,
    more: WORKFLOW + BINDINGS,
    vars: { LONG_WAIT_SECONDS: "30" },
  });
  const { makeKey } = await keysOf(server);
  ada = await makeKey({ name: "ada", scopes: ["kit:open"] });
  poor = await makeKey({ name: "bob" });
  catalog = await loadCatalog(accessTo(server.url, ada.text));
});
afterAll(() => server?.stop());

const toolOf = (name: string) => {
  const tool = catalog.tools.find((one) => one.id === `Kit.${name}`);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
};
const start = (name: string, input: object = {}, more: Partial<Call> = {}, on: Listeners = {}) =>
  run({ tool: toolOf(name), input: input as Call["input"], access: accessTo(server.url, ada.text), ...more }, on);
const outcome = (...given: Parameters<typeof start>) => start(...given).done;
const protocols = (exchanges: readonly Exchange[]) => exchanges.map(({ protocol }) => protocol);

describe("the catalog", () => {
  it("joins what OXP and MCP list", () => {
    expect(catalog).toMatchObject({ server: { name: "trivet", version: "1.0.0" }, problems: [] });
    expect(toolOf("Add")).toMatchObject({
      toolkit: "Kit",
      name: "Kit_Add",
      title: "Add",
      annotations: { readOnly: true, openWorld: false },
      scopes: [],
      isLong: false,
      takesFiles: false,
    });
    expect(toolOf("Add").versions.map(({ version }) => version)).toEqual(["2.0.0", "1.0.0"]);
    expect(toolOf("Work")).toMatchObject({ isLong: true, takesFiles: false });
    expect(toolOf("Count")).toMatchObject({ isLong: false, takesFiles: true });
    expect(toolOf("Locked").scopes).toEqual(["kit:open"]);
    expect(toolOf("Track").versions[0]?.requirements).toEqual({
      secrets: [{ id: "CARRIER_KEY" }],
      authorization: [{ id: "carrier-login" }],
      user_id: true,
    });
    expect(toolOf("Fail").versions[0]?.output).toEqual({});
    expect(catalog.prompts).toMatchObject([
      {
        name: "Kit_Hello",
        arguments: [
          { name: "name", required: true },
          { name: "like", required: false },
        ],
      },
    ]);
    expect(catalog.resources).toMatchObject([{ uri: "kit://start" }]);
    expect(catalog.templates).toMatchObject([{ uriTemplate: "kit://notes/{id}" }]);
  });

  it("has what only views may call, which MCP alone lists, and calls it as a host that shows views", async () => {
    expect(toolOf("Add").isForViews).toBe(false);
    expect(toolOf("Peek")).toMatchObject({ name: "Kit_Peek", isForViews: true, isLong: false });
    expect(toolOf("ViewWork")).toMatchObject({ isForViews: true, isLong: true, takesFiles: false });
    expect(toolOf("ViewWork").versions[0]?.input).toMatchObject({ properties: {} });
    expect(await outcome("Peek", { a: "x" })).toMatchObject({ ok: true, value: "peeked x" });
    const running = start("ViewWork");
    expect(await running.done).toMatchObject({ ok: true, value: "worked" });
    expect(new Set(protocols(running.exchanges))).toEqual(new Set(["MCP"]));
  });

  it("counts tokens as discovery does", () => {
    const { name, description, tokens } = { ...toolOf("Add"), description: "Adds." };
    expect(tokens).toBe(tokensOfTool(name, description, toolOf("Add").versions[0]?.input as object));
    const plain = tokensOfTool("Kit_Work", "Works for long.", toolOf("Work").versions[0]?.input as object);
    expect(toolOf("Work").tokens).toBeGreaterThan(plain);
  });

  it("has what a caller may see", async () => {
    const { tools } = await loadCatalog(accessTo(server.url, poor.text));
    expect(tools.map(({ id }) => id)).not.toContain("Kit.Locked");
    expect(tools).toHaveLength(catalog.tools.length - 1);
  });

  it("of a caller without a key, or with a wrong one, says so", async () => {
    await expect(loadCatalog(accessTo(server.url))).rejects.toMatchObject({
      name: "NeedsCredential",
      message: "This needs a key or a sign-in.",
    });
    await expect(loadCatalog(accessTo(server.url, `${ada.text}x`))).rejects.toMatchObject({
      name: "NeedsCredential",
      message: expect.stringContaining("does not accept this key"),
    });
  });
});

describe("prompts and resources", () => {
  it("are read, and completed", async () => {
    const mcp = new Mcp(accessTo(server.url, ada.text));
    expect(await mcp.getPrompt("Kit_Hello", { name: "Ada" })).toEqual([
      { role: "user", content: [{ type: "text", text: "Greet Ada" }] },
    ]);
    expect(await mcp.readResource("kit://notes/ö 7".replace(" ", "%20"))).toMatchObject([
      { type: "resource", resource: { text: "note ö 7" } },
    ]);
    expect(await mcp.complete({ prompt: "Kit_Hello" }, { name: "name", value: "A" })).toEqual(["Ada"]);
    expect(await mcp.complete({ template: "kit://notes/{id}" }, { name: "id", value: "" })).toEqual([]);
    expect(
      await mcp.complete({ prompt: "Kit_Hello" }, { name: "like", value: "B" }, { name: "Ada", like: "B" }),
    ).toEqual(["Ada's friend"]);
    await expect(mcp.getPrompt("Kit_None", {})).rejects.toMatchObject({ name: "RpcFailure" });
  });
});

describe("a call over OXP", () => {
  it("has the value, and what went over the wire", async () => {
    const seen: Exchange[] = [];
    const { done, exchanges } = start("Add", { a: 1 }, {}, { exchange: (one) => seen.push(one) });
    expect(await done).toMatchObject({ ok: true, value: 1, content: [], replayed: false });
    expect(exchanges).toHaveLength(1);
    const [exchange] = exchanges as [Exchange];
    expect(exchange).toMatchObject({
      protocol: "OXP",
      method: "POST",
      url: `${server.url}/tools/call`,
      requestHeaders: { authorization: "Bearer •••", "content-type": "application/json" },
      status: 200,
      responseHeaders: { "content-type": "application/json" },
    });
    expect(JSON.parse(exchange.requestBody ?? "")).toMatchObject({ request: { tool_id: "Kit.Add", input: { a: 1 } } });
    expect(JSON.parse(exchange.responseBody ?? "").result).toMatchObject({ success: true, value: 1 });
    expect(new Set(seen)).toEqual(new Set([exchange]));
    expect(JSON.stringify(exchanges)).not.toContain(ada.text);
  });

  it("runs an older version", async () => {
    expect(await outcome("Add", { a: "x" }, { version: "1.0.0" })).toMatchObject({ value: "old x" });
  });

  it("names each parameter that does not fit", async () => {
    const failure = await outcome("Add", { a: "x", deep: { b: "y" } });
    expect(failure).toMatchObject({ ok: false, kind: "input", message: "Some input parameters are invalid" });
    expect("parameterErrors" in failure && [...failure.parameterErrors]).toEqual([
      ["a", "Must be a number"],
      ["deep.b", "Must be a number"],
    ]);
  });

  it("shows a failure at once, with the hint, and sends nothing again", async () => {
    const { done, exchanges } = start("Fail", { how: "for now" });
    expect(await done).toMatchObject({
      kind: "failed",
      message: "There is no such cake",
      hint: "cakes: Sachertorte",
      developerMessage: "oven 3",
      retryAfterMs: 50,
    });
    expect(exchanges).toHaveLength(1);
    expect(await outcome("Late")).toMatchObject({ kind: "timeout" });
  });

  it("sends secrets, and shows none", async () => {
    const { done, exchanges } = start("Track", {}, { context: CONTEXT });
    expect(await done).toMatchObject({ ok: true, value: "a-secret-of-the-carrier 2 ada" });
    const [{ requestBody = "", responseBody = "" }] = exchanges as [Exchange];
    expect(JSON.parse(requestBody).request.context).toEqual({
      secrets: [{ id: "CARRIER_KEY", value: "•••" }],
      authorization: [{ id: "carrier-login", token: "•••" }],
      user_id: "ada",
    });
    expect(JSON.parse(responseBody).result.value).toBe("••• 2 ada");
  });

  it("says what is missing", async () => {
    expect(await outcome("Track")).toMatchObject({
      kind: "needs",
      missing: { secrets: ["CARRIER_KEY"], authorizations: ["carrier-login"], userId: true },
    });
  });

  it("says that a key is missing, or a tool", async () => {
    expect(await outcome("Add", { a: 1 }, { access: accessTo(server.url) })).toMatchObject({
      kind: "refused",
      needsCredential: true,
    });
    expect(await outcome("Locked", {}, { access: accessTo(server.url, poor.text) })).toMatchObject({
      kind: "refused",
      needsCredential: false,
      message: "Tool 'Kit.Locked' was not found",
    });
  });

  it("is cancelled, and the tool with it", async () => {
    const { done, cancel, exchanges } = start("Fail", { how: "slowly" }, {}, { exchange: () => {} });
    await new Promise((resume) => setTimeout(resume, 100));
    cancel();
    expect(await done).toMatchObject({ kind: "cancelled" });
    expect(exchanges[0]?.failure).toBe("This page ended the request.");
  });
});

describe("what only MCP can", () => {
  it("pictures come over MCP, without a second run", async () => {
    const { done, exchanges } = start("Draw");
    expect(await done).toMatchObject({
      ok: true,
      value: { bars: 3 },
      replayed: false,
      content: [
        { type: "text", text: "Three bars" },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        { type: "resource_link", uri: "kit://notes/1", name: "the note" },
      ],
    });
    expect(protocols(exchanges)).toEqual(["OXP", "MCP"]);
    expect(exchanges[1]?.responseBody).toContain('"replayed":true');
  });

  it("a result that is not kept has its value, and a line about the rest", async () => {
    expect(await outcome("Sketch")).toMatchObject({
      ok: true,
      value: "a sketch",
      content: [{ type: "text", text: expect.stringContaining("cannot be shown here") }],
    });
  });

  it("questions are asked one after the other, and the call goes on with the answers", async () => {
    const asked: Question[] = [];
    const question: Listeners["question"] = async (one) => {
      asked.push(one);
      return one.kind === "form" ? { action: "accept", content: { size: "L" } } : { action: "accept" };
    };
    const { done, exchanges } = start("Order", { cake: "Linzertorte" }, {}, { question });
    expect(await done).toMatchObject({ ok: true, value: "Linzertorte, size L, accept", content: [] });
    expect(asked).toMatchObject([
      {
        kind: "form",
        message: "Which size should the Linzertorte have?",
        schema: { properties: { size: { type: "string", enum: ["S", "L"] } }, required: ["size"] },
      },
      { kind: "page", message: "Please pay.", url: "https://pay.example.com/7" },
    ]);
    expect(protocols(exchanges)).toEqual(["OXP", "MCP", "MCP", "MCP"]);
    const declined = await outcome("Order", { cake: "x" }, {}, { question: async () => ({ action: "decline" }) });
    expect(declined).toMatchObject({ kind: "failed", message: "Nothing was ordered" });
  });

  it("a question that nobody can be asked is in the message", async () => {
    expect(await outcome("Order", { cake: "Linzertorte" })).toMatchObject({
      kind: "failed",
      message: "The tool needs an answer first: Which size should the Linzertorte have?",
    });
  });

  it("a call is cancelled while it asks", async () => {
    const question: Listeners["question"] = () => {
      running.cancel();
      return new Promise(() => {});
    };
    const running = start("Order", { cake: "x" }, {}, { question });
    expect(await running.done).toMatchObject({ kind: "cancelled" });
  });

  it("parameters that are also headers are sent as headers", async () => {
    const question: Listeners["question"] = async () => ({ action: "accept", content: { ok: true } });
    expect(await outcome("Region", { region: "Köln" }, {}, { question })).toMatchObject({ value: "Köln accept" });
  });
});

describe("a long call", () => {
  it("is followed as a task, with its progress, and its questions answered", async () => {
    const told: unknown[] = [];
    const on: Listeners = {
      progress: ({ message }) => told.push(message),
      question: async () => ({ action: "accept", content: { price: 12 } }),
    };
    const { done, exchanges } = start("Work", { ms: 1_500, ask: true }, {}, on);
    expect(await done).toMatchObject({ ok: true, value: "sold for 12" });
    expect(told).toContain("half done");
    expect(exchanges[0]?.responseBody).toContain('"resultType":"task"');
    expect(exchanges.map(({ requestHeaders }) => requestHeaders["mcp-method"])).toContain("tasks/update");
  });

  it("is cancelled with its task", async () => {
    const running = start("Work", { ms: 60_000 }, {}, { progress: () => running.cancel() });
    expect(await running.done).toMatchObject({ kind: "cancelled" });
    expect(running.exchanges.at(-1)).toMatchObject({ status: 200, requestHeaders: { "mcp-method": "tasks/cancel" } });
  });

  it("with a wrong input names the parameters", async () => {
    const failure = await outcome("Work", { ms: "long" });
    expect(failure).toMatchObject({ kind: "input" });
    expect("parameterErrors" in failure && [...failure.parameterErrors]).toEqual([["ms", "Must be a number"]]);
  });

  it("with a user's id goes over OXP", async () => {
    const { done, exchanges } = start("Work", { ms: 0 }, { context: { user_id: "ada" } });
    expect(await done).toMatchObject({ ok: true, value: "done" });
    expect(protocols(exchanges)).toContain("OXP");
  });
});

describe("files", () => {
  it("are uploaded, and attached to a call", async () => {
    const access = accessTo(server.url, ada.text);
    const put = async (url: string, headers: Readonly<Record<string, string>>, body: Blob) => {
      const response = await fetch(url, { method: "PUT", headers, body });
      return { status: response.status, text: await response.text() };
    };
    const file = new File(["a,b\n1,2"], "Größe.csv", { type: "text/csv" });
    const id = await upload(access, file, { put });
    expect(await outcome("Count", {}, { files: [id] })).toMatchObject({ ok: true, value: [7] });
    expect(await outcome("Count", {}, { files: ["none"] })).toMatchObject({ ok: false, kind: "input" });
    const cut = upload(access, file, { put: () => Promise.reject(new TypeError("cut")) });
    await expect(cut).rejects.toMatchObject({ name: "Unreachable", reason: "offline" });
    await expect(upload(accessTo(server.url), file, { put })).rejects.toMatchObject({ name: "NeedsCredential" });
  });
});

describe("a caller who changes", () => {
  /** The credentials of all requests, in their order. The requests are sent all the same. */
  function credentials(): (string | null)[] {
    const sent: (string | null)[] = [];
    const send = globalThis.fetch;
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
      sent.push(new Headers(init?.headers).get("authorization"));
      return send(url, init);
    });
    onTestFinished(() => spy.mockRestore());
    return sent;
  }
  const CHANGED = { ok: false, kind: "cancelled", message: "The key was changed while this call ran." };

  it("ends a call, and nothing of it is sent as another caller", async () => {
    const sent = credentials();
    const access = accessTo(server.url, ada.text);
    // The tool has run, and its picture is still missing.
    const exchange = ({ status }: Exchange) => status === 200 && access.state === "key" && access.useKey(poor.text);
    const running = start("Paint", {}, { access }, { exchange });
    expect(await running.done).toMatchObject(CHANGED);
    expect(protocols(running.exchanges)).toEqual(["OXP"]);
    await new Promise((resume) => setTimeout(resume, 500));
    expect(sent).toEqual([`Bearer ${ada.text}`]);
    // The second run there is.
    expect(await outcome("Paint", {}, { access })).toMatchObject({ ok: true, value: 2 });
    expect(new Set(sent.slice(1))).toEqual(new Set([`Bearer ${poor.text}`]));
  });

  it("ends a call that is on its way, at once", async () => {
    const access = accessTo(server.url, ada.text);
    const { signal } = access;
    const running = start("Fail", { how: "slowly" }, { access });
    setTimeout(() => access.forget(), 100);
    expect(await running.done).toMatchObject(CHANGED);
    expect(signal.aborted).toBe(true);
    expect(access.signal.aborted).toBe(false);
  });

  it("cancels a task as the caller that it belongs to", async () => {
    const sent = credentials();
    const access = accessTo(server.url, ada.text);
    let isChanged = false;
    const progress = () => {
      if (!isChanged) access.useKey(poor.text);
      isChanged = true;
    };
    const running = start("Work", { ms: 60_000 }, { access }, { progress });
    expect(await running.done).toMatchObject(CHANGED);
    const last = running.exchanges.at(-1);
    expect(last).toMatchObject({ status: 200, requestHeaders: { "mcp-method": "tasks/cancel" } });
    expect(last?.responseBody).not.toContain('"error"');
    expect(new Set(sent)).toEqual(new Set([`Bearer ${ada.text}`]));
  });

  it("ends what is loading, and what was made for the caller before sends nothing any more", async () => {
    const access = accessTo(server.url, ada.text);
    const mcp = new Mcp(access);
    const failure = { name: "CallerChanged", message: CHANGED.message };
    const loading = loadCatalog(access);
    const reading = mcp.readResource("kit://start");
    const uploading = upload(access, new File(["a"], "a.csv"), { put: () => new Promise(() => {}) });
    const ended = Promise.allSettled([loading, reading, uploading]);
    access.forget();
    expect(await ended).toMatchObject([{ reason: failure }, { reason: failure }, { reason: failure }]);
    const sent = credentials();
    await expect(mcp.readResource("kit://start")).rejects.toMatchObject(failure);
    expect(sent).toEqual([]);
  });
});
