/**
 * Unsupported methods (405 with Allow) and unknown paths (404), in the shape of the protocol that the path belongs to.
 */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import source from "#catalog";
import { createApp } from "../../src/app.ts";
import { createCatalog } from "../../src/core/catalog/catalog.ts";
import type { Deployment } from "../../src/deployment.ts";
import { fetchFrom, OPEN } from "../support/app.ts";
import { type Answer, post, send } from "../support/http.ts";
import { shapeAt } from "../support/shapes.ts";

function expectError(path: string, { status, headers, body, text }: Answer, expected: number) {
  expect(status).toBe(expected);
  expect(headers.get("content-type")).toMatch(/^application\/json/);
  v.parse(shapeAt(path, status), body);
  expect(text).not.toMatch(/\bat .*\.ts|node_modules/);
}

/** The methods of each path, by the specifications. `/mcp` has its own tests. */
const ALLOWED: Record<string, string> = {
  "/": "GET, HEAD",
  "/health": "GET, HEAD",
  "/info": "GET, HEAD",
  "/tools": "GET, HEAD",
  "/tools/call": "POST",
  "/call": "POST",
  "/opentool/version": "GET, HEAD",
  "/opentool/load": "GET, HEAD",
  "/opentool/call": "POST",
  "/opentool/streamCall": "POST",
  "/math/tools": "GET, HEAD",
  "/math/tools/call": "POST",
  "/math/call": "POST",
  "/ma%74h/call": "POST",
  "/math/opentool/load": "GET, HEAD",
  "/math/opentool/call": "POST",
};

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];

describe("a method that a path does not support: 405 with Allow (RFC 9110, section 15.5.6)", () => {
  const cases = Object.entries(ALLOWED).flatMap(([path, allow]) =>
    METHODS.filter((method) => !allow.split(", ").includes(method)).map((method) => ({ method, path, allow })),
  );

  it.each(cases)("$method $path", async ({ method, path, allow }) => {
    const answer = await send(path, { method });
    expectError(path, answer, 405);
    expect(answer.headers.get("allow")).toBe(allow);
  });

  it.each(Object.entries(ALLOWED).filter(([, allow]) => allow === "POST"))("HEAD %s, without a body", async (path) => {
    const { status, headers, text } = await send(path, { method: "HEAD" });
    expect([status, headers.get("allow"), text]).toEqual([405, "POST", ""]);
  });

  it.each(["PUT", "PATCH", "OPTIONS"])("%s /mcp", async (method) => {
    const answer = await send("/mcp", { method });
    expectError("/mcp", answer, 405);
    expect(answer.headers.get("allow")).toContain("POST");
  });
});

describe("unknown paths: 404 in the `ServerErrorResponse` shape", () => {
  const PATHS = [
    ...["/x", "/tools/x", "/call/x", "/Tools", "/tools//", "/index.html", "/favicon.ico"],
    ...["//x", "//", "//tools", "/math//tools", "//math/tools", "/\\tools", "/;/tools", "/tools;x=1"],
    ...[
      "/%00",
      "/tools%00",
      "/%",
      "/%zz",
      "/%zz/tools",
      "/%E0%A4%A",
      "/%ff",
      "/%2e%2e%2ftools",
      "/%2Ftools",
      "/tools%2Fcall",
    ],
    ...[
      "/opentool",
      "/opentool/",
      "/math/",
      "/math//",
      "/opentool/x",
      "/opentool/stop",
      "/opentool/%00",
      "/opentool/%zz",
      "/math/opentool/x",
    ],
    ...["/mcp/x", "/mcp//", "/mcp/%zz", "/__proto__", "/constructor/tools", "/toString/call", `/${"x".repeat(2000)}`],
  ];

  it.each(PATHS)("%s", async (path) => {
    expectError(path, await send(path), 404);
    expectError(path, await post(path, {}), 404);
  });

  it("HEAD has no body", async () => {
    const { status, text } = await send("/x", { method: "HEAD" });
    expect([status, text]).toEqual([404, ""]);
  });

  it("a trailing slash is ignored, whatever the method", async () => {
    expect((await send("/tools/")).status).toBe(200);
    expect((await send("/math/tools/")).status).toBe(200);
    expect((await post("/tools/call/", {})).status).toBe(400);
    expect((await send("/tools/call/", { method: "PUT" })).headers.get("allow")).toBe("POST");
  });

  it("a query is not part of the path", async () => {
    expect((await send("/tools?x=/y&%zz")).status).toBe(200);
    expect((await send("/health?$schema=x")).status).toBe(200);
  });
});

describe("an exception before it is known that there is nothing at a path: 500, and only the log says why", () => {
  const lines: object[] = [];
  const runtime = { catalog: createCatalog(source), log: (line: object) => lines.push(line) };
  const app = createApp({
    runtime: runtime as unknown as Deployment["runtime"],
    server: { name: "test", version: "1.0.0" },
    limits: { bodyBytes: 1_000, pageSize: 100 },
    ...OPEN,
    guard: () => Promise.reject(new Error("hidden")),
  });

  it.each(["/x", "/mcp/x", "/opentool/x"])("%s", async (path) => {
    const { status, headers, text } = await read(await fetchFrom(app, path));
    expectError(path, { status, headers, text, body: JSON.parse(text) }, 500);
    expect(text).not.toContain("hidden");
    expect(lines.pop()).toMatchObject({ level: "error", message: "unhandled", error: { message: "hidden" } });
    expect(await read(await fetchFrom(app, path, { method: "HEAD" }))).toMatchObject({ status: 500, text: "" });
  });

  async function read(response: Response) {
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
});
