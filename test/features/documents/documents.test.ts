/** Documents by which machines find the server, and the path that OpenAPI needs for each tool. */
import { describe, expect, it } from "vitest";
import { HOST, post, send } from "../../support/http.ts";
import { modern } from "../../support/modern-client.ts";

const PUBLIC: readonly [path: string, type: string][] = [
  ["/mcp/server-card", "application/mcp-server-card+json"],
  ["/.well-known/ai-catalog.json", "application/ai-catalog+json"],
  ["/server.json", "application/json"],
];

describe("a public document (MCP Server Cards, discovery.md, CORS Requirements and Caching)", () => {
  it.each(PUBLIC)("%s can be read by any web page, and is cached", async (path, type) => {
    const { status, headers, text } = await send(path, { headers: { origin: "https://anywhere.example" } });
    expect([status, headers.get("content-type"), headers.get("access-control-allow-origin")]).toEqual([200, type, "*"]);
    expect(headers.get("access-control-expose-headers")).toBe("ETag");
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
    const etag = headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await send(path, { headers: { "if-none-match": known } });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect((await send(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
    const head = await send(path, { method: "HEAD" });
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag]);
    expect((await send(`${path}/`)).text).toBe(text);
  });

  it.each(PUBLIC)("%s answers a browser that asks first, and refuses what is not GET", async (path) => {
    const headers = { origin: "https://anywhere.example", "access-control-request-method": "GET" };
    const asked = await send(path, { method: "OPTIONS", headers });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(asked.headers.get("access-control-allow-headers")).toContain("If-None-Match");
    const refused = await post(path, {});
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(refused.body.message).toBe("Only GET and HEAD are allowed here");
  });

  it("leads from the catalogue over the card to the endpoint, with the revisions that are served", async () => {
    const catalog = (await send("/.well-known/ai-catalog.json")).body;
    const [entry] = catalog.entries;
    expect([catalog.specVersion, catalog.entries.length, entry.type]).toEqual([
      "1.0",
      1,
      "application/mcp-server-card+json",
    ]);
    expect(entry.identifier).toBe("urn:air:trivet.test:mcp:trivet");
    expect(entry.url).toBe(`${HOST}/mcp/server-card`);
    const card = (await send(entry.url.slice(HOST.length))).body;
    expect(card).toMatchObject({ name: "test.trivet/trivet", version: "1.0.0" });
    const [remote] = card.remotes;
    expect([remote.type, remote.url]).toEqual(["streamable-http", `${HOST}/mcp`]);
    const discovered = await modern("server/discover", {}, { path: remote.url });
    expect(remote.supportedProtocolVersions).toEqual(discovered.body.result.supportedVersions);
  });

  it.each(PUBLIC)("%s names no tool, prompt, resource or toolkit", async (path) => {
    const { tools } = (await send("/tools")).body;
    const { text } = await send(path);
    const toolkits = new Set(tools.map(({ id }: { id: string }) => id.split(".")[0]));
    expect(toolkits.size).toBeGreaterThan(5);
    for (const toolkit of toolkits) expect(text).not.toContain(`${toolkit}_`);
    expect(text).not.toMatch(/"(tools|prompts|resources|inputSchema)"/);
  });

  it("is served for the server as a whole, not below a toolkit's name", async () => {
    for (const [path] of PUBLIC) expect((await send(`/echo${path}`)).status, path).toBe(404);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a document with many shapes
const operations = (document: any) =>
  Object.entries(document.paths as Record<string, { post?: { operationId: string } }>).filter(([path]) =>
    path.startsWith("/tools/call/"),
  );

describe("/openapi.json", () => {
  it("has an operation for each tool that the caller sees, at the address where it was requested", async () => {
    for (const [prefix, toolkit] of [
      ["", undefined],
      ["/math", "math"],
    ]) {
      const { status, body, headers } = await send(`${prefix}/openapi.json`);
      expect([status, headers.get("content-type"), body.openapi]).toEqual([200, "application/json", "3.1.0"]);
      expect(body.servers).toEqual([{ url: `${HOST}${prefix}` }]);
      const { tools } = (await send(`${prefix}/tools`)).body;
      const ids = new Set(tools.map(({ id }: { id: string }) => id.split("@")[0]));
      expect(new Set(operations(body).map(([path]) => path.slice("/tools/call/".length)))).toEqual(ids);
      expect(ids.size).toBeGreaterThan(toolkit === undefined ? 20 : 0);
    }
  });

  it("is not sent again to those who have it", async () => {
    const first = await send("/openapi.json");
    const etag = first.headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    const again = await send("/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await send("/math/openapi.json", { headers: { "if-none-match": etag } })).status).toBe(200);
  });

  it("says that no credential is needed to those who had none", async () => {
    expect((await send("/openapi.json")).body.security).toContainEqual({});
  });
});

describe("POST /tools/call/{tool}", () => {
  const byPath = (tool: string, body: unknown, headers?: Record<string, string>) =>
    post(`/tools/call/${tool}`, body, headers);

  it("answers as OXP does if the tool is in the body", async () => {
    const input = { value: "x" };
    const [path, body] = await Promise.all([
      byPath("Echo.Any", { input, call_id: "by-path-1" }),
      post("/tools/call", { request: { tool_id: "Echo.Any", input, call_id: "by-body-1" } }),
    ]);
    expect(path.status).toBe(body.status);
    expect({ ...path.body.result, call_id: "", duration: 0 }).toEqual({
      ...body.body.result,
      call_id: "",
      duration: 0,
    });
    expect(path.body.result.call_id).toBe("by-path-1");
  });

  it("takes a version, as OXP's tool ids do", async () => {
    const of = async (tool: string) => (await byPath(tool, { input: {} })).body.result.value;
    expect([await of("Versions.Number@2"), await of("Versions.Number%4010.0.0")]).toEqual(["2.0.0", "10.0.0"]);
  });

  it.each([
    ["a tool that does not exist", "Echo.Nothing", { input: {} }, 400],
    ["what is not the id of a tool", "nothing", { input: {} }, 400],
    ["a body that is not an object", "Echo.Any", [1], 400],
    ["wrong input", "Math.Add", { input: { a: "x" } }, 422],
    ["the tool of another toolkit, below a toolkit's name", "../../math/tools/call/Echo.Any", { input: {} }, 400],
  ])("refuses %s", async (_, tool, body, status) => {
    const refused = await byPath(tool, body);
    expect([refused.status, refused.body.$schema]).toEqual([status, "urn:oxp:1.0"]);
  });

  it("runs the tool of the path, whatever the body says", async () => {
    const { status, body } = await byPath("Versions.Number@2", { tool_id: "Versions.Number@1", input: {} });
    expect([status, body.result.value]).toEqual([200, "2.0.0"]);
  });

  it("allows only POST", async () => {
    const refused = await send("/tools/call/Echo.Any");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
