/** Listings of both eras: order, shapes, pages. */
import { describe, expect, it } from "vitest";
import source from "#catalog";
import { createApp } from "../../../../src/app.ts";
import { createCatalog } from "../../../../src/core/catalog/catalog.ts";
import type { Deployment } from "../../../../src/deployment.ts";
import { feature as prompts } from "../../../../src/features/prompts/index.ts";
import { feature as resources } from "../../../../src/features/resources/index.ts";
import { OPEN, postTo } from "../../../support/app.ts";
import { handshake, mcp, request } from "../../../support/mcp.ts";
import { modern, modernRequest } from "../../../support/modern-client.ts";

type Named = { name: string };

describe("tools/list", () => {
  it("has the same order each time (server/tools, Listing Tools)", async () => {
    const [one, other] = [await modern("tools/list"), await modern("tools/list")];
    expect(one.body.result.tools).toEqual(other.body.result.tools);
    const names = one.body.result.tools.map(({ name }: Named) => name);
    expect(names).toEqual([...names].sort());
    expect(new Set(names).size).toBe(names.length);
  });

  it("has what a client needs for each tool (server/tools, Tool; Tool Names)", async () => {
    for (const tool of (await modern("tools/list")).body.result.tools) {
      expect(tool.name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/);
      expect(tool.description).not.toBe("");
      expect(tool.inputSchema).toMatchObject({ type: "object" });
      expect(tool).not.toHaveProperty("execution");
    }
  });

  it("has title, icons, annotations and _meta if an author defined them (server/tools, Tool; basic/index, Icons)", async () => {
    const { tools } = (await modern("tools/list", {}, { path: "/talk/mcp" })).body.result;
    expect(tools.find(({ name }: Named) => name === "Talk_Show")).toEqual({
      name: "Talk_Show",
      title: "Show everything",
      description: "Returns a value, and blocks of every kind that show it.",
      inputSchema: { type: "object", properties: {} },
      outputSchema: { type: "object", properties: { shown: { type: "number" } }, required: ["shown"] },
      annotations: {
        title: "Show everything",
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      icons: [{ src: "https://example.com/show.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }],
      _meta: { "com.example/shelf": 3 },
    });
    const count = tools.find(({ name }: Named) => name === "Talk_Count");
    for (const member of ["title", "icons", "annotations", "_meta"]) expect(count).not.toHaveProperty(member);
  });

  it("shows outputs of any type since 2026-07-28, wrapped in an object before (changelog)", async () => {
    const output = (tools: (Named & { outputSchema: unknown })[], name: string) =>
      tools.find((tool) => tool.name === name)?.outputSchema;
    const since = (await modern("tools/list")).body.result.tools;
    const before = (await mcp(request("tools/list"), await handshake())).body.result.tools;
    expect(output(since, "Math_Add")).toEqual({ type: "number" });
    expect(output(before, "Math_Add")).toEqual({
      type: "object",
      properties: { value: { type: "number" } },
      required: ["value"],
    });
    expect(output(since, "Outputs_Point")).toEqual(output(before, "Outputs_Point"));
    expect(output(since, "Outputs_Any")).toBeUndefined();
  });

  it("marks parameters that are repeated in headers (server/tools, x-mcp-header)", async () => {
    const { tools } = (await modern("tools/list", {}, { path: "/talk/mcp" })).body.result;
    const { properties } = tools.find(({ name }: Named) => name === "Talk_Region").inputSchema;
    expect(properties.region["x-mcp-header"]).toBe("Region");
    expect(properties.within.properties.zone["x-mcp-header"]).toBe("Zone");
  });

  it.each(["", "/talk", "/math"])(
    "of %j/mcp is the same in both eras, but for what outputs may be",
    async (toolkit) => {
      const path = `${toolkit}/mcp`;
      const names = (tools: Named[]) => tools.map(({ name }) => name);
      const since = names((await modern("tools/list", {}, { path })).body.result.tools);
      const before = (await mcp(request("tools/list"), await handshake("2025-11-25", {}, path), path)).body.result;
      expect(names(before.tools)).toEqual(since);
      expect(Object.keys(before)).toEqual(["tools"]);
    },
  );
});

const LISTS = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

/** An app with small pages, reduced to what its listings use. */
function appWith(pageSize: number, revision = "0".repeat(16)) {
  const runtime = { catalog: createCatalog({ ...source, revision }), log: () => {} };
  const deployment = {
    runtime: runtime as unknown as Deployment["runtime"],
    server: { name: "paged", version: "1" },
    limits: { bodyBytes: 10_000, pageSize },
    ...OPEN,
  };
  return createApp(deployment, [prompts, resources]);
}

async function page(app: ReturnType<typeof appWith>, method: string, cursor?: unknown) {
  const { message, headers } = modernRequest(method, cursor === undefined ? {} : { cursor });
  return (await postTo(app, "/mcp", message, headers)).body;
}

describe("pages (server/utilities/pagination)", () => {
  it.each(LISTS)("of %s follow each other, and add up to the whole list", async (method, member) => {
    const whole = (await modern(method)).body.result[member];
    const app = appWith(2);
    const items: unknown[] = [];
    const scopes = new Set<string>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { result } = await page(app, method, cursor);
      expect(result[member].length).toBeLessThanOrEqual(2);
      expect(result).toMatchObject({ resultType: "complete", ttlMs: expect.any(Number) });
      items.push(...result[member]);
      scopes.add(result.cacheScope);
      cursor = result.nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect(items).toEqual(whole);
    expect(pages).toBe(Math.max(1, Math.ceil(whole.length / 2)));
    // server/utilities/caching: "MUST apply the same cacheScope to all response pages".
    expect(scopes.size).toBe(1);
  });

  it("there is one if everything fits on it", async () => {
    const { result } = await page(appWith(source.prompts.length), "prompts/list");
    expect(result.prompts).toHaveLength(source.prompts.length);
    expect(result).not.toHaveProperty("nextCursor");
  });

  it("a cursor of an earlier catalog has expired (caching, Interaction with Pagination)", async () => {
    const { nextCursor } = (await page(appWith(2), "tools/list")).result;
    expect((await page(appWith(2), "tools/list", nextCursor)).result.tools).toHaveLength(2);
    expect((await page(appWith(2, "1".repeat(16)), "tools/list", nextCursor)).error.code).toBe(-32602);
  });

  it.each([
    ["a text", "next"],
    ["an empty text", ""],
    ["a number", 2],
    ["an object", {}],
    ["no Base64", "%%%"],
  ])("%s is an invalid cursor: -32602 (Error Handling)", async (_, cursor) => {
    for (const [method] of LISTS) {
      expect((await modern(method, { cursor })).body.error.code).toBe(-32602);
      expect((await mcp(request(method, { cursor }))).body.error.code).toBe(-32602);
    }
  });
});
