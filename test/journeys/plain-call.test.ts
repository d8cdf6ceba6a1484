/** The cost of a plain call: without an idempotency key and a session, it uses no storage and no object. */
import { describe, expect, it } from "vitest";
import source from "#catalog";
import { createApp } from "../../src/app.ts";
import { createCatalog } from "../../src/core/catalog/catalog.ts";
import type { Runtime } from "../../src/core/ports/runtime.ts";
import { OPEN, postTo } from "../support/app.ts";
import { BOTH } from "../support/mcp.ts";
import { modernRequest } from "../support/modern-client.ts";

/** Stands in for all storage, and counts every use. */
const touched: string[] = [];
const storage = <Part extends object>(name: string): Part =>
  new Proxy({} as Part, {
    get: (_, verb) => () => {
      touched.push(`${name}.${String(verb)}`);
      throw new Error(`${name} was touched`);
    },
  });

const runtime: Runtime = {
  catalog: createCatalog(source),
  idempotency: storage("ledger"),
  sessions: storage("sessions"),
  signer: storage("signer"),
  relay: storage("mail"),
  changeFeed: storage("changes"),
  defer: () => {},
  fetch: () => Promise.reject(new Error("no tool here fetches")),
  rateLimit: () => Promise.reject(new Error("nothing here is limited")),
  log: () => {},
  now: () => 0,
  secret: () => undefined,
  binding: () => undefined,
};
const app = createApp({
  runtime,
  server: { name: "test", version: "1.0.0" },
  limits: { bodyBytes: 1_000_000, pageSize: 1_000 },
  ...OPEN,
});

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
  JSON.stringify((await postTo(app, path, body, headers)).body);

const input = { a: 20, b: 22 };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Math_Add", arguments: input } };
const modern = modernRequest("tools/call", call.params, { capabilities: { elicitation: {} }, headers: BOTH });

describe("a plain call touches no storage", () => {
  it.each([
    ["OXP", () => post("/tools/call", { request: { tool_id: "Math.Add", input } })],
    ["MCP, bare", () => post("/mcp", call)],
    ["MCP, legacy without a session", () => post("/mcp", call, { "mcp-protocol-version": "2025-11-25" })],
    ["MCP, modern", () => post("/mcp", modern.message, modern.headers)],
    ["OpenTool", () => post("/opentool/call", { jsonrpc: "2.0", id: "1", method: "Math_Add", params: input })],
  ])("%s", async (_, send) => {
    touched.length = 0;
    expect(await send()).toContain("42");
    expect(touched).toEqual([]);
  });

  it("a control: a key makes a claim, a session is read", async () => {
    touched.length = 0;
    await post("/tools/call", { request: { tool_id: "Math.Add", call_id: "once", input } });
    await post("/mcp", call, { "mcp-session-id": "a.b.c" });
    // The call's name in the stores is signed first: without the signing key nothing is claimed, and nothing runs.
    expect(touched).toEqual(["signer.sign", "signer.verify"]);
  });
});
