/** Invalid bodies, on every endpoint with a body: never a 5xx or a stack trace, always the protocol's shape. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { impatiently } from "../support/clock.ts";
import { type Answer, HOST, post, send } from "../support/http.ts";
import { nested } from "../support/nested.ts";
import { McpError, shapeAt } from "../support/shapes.ts";

const ENDPOINTS = [
  ...["/tools/call", "/call", "/math/tools/call", "/math/call"],
  ...["/opentool/call", "/opentool/streamCall", "/math/opentool/call", "/math/opentool/streamCall"],
  ...["/mcp", "/math/mcp"],
];

/** Expects an error of this status, in the shape of the protocol at `path`, without internals. */
function expectError(path: string, { status, headers, body, text }: Answer, expected: number | readonly number[]) {
  expect([expected].flat()).toContain(status);
  expect(headers.get("content-type")).toMatch(/^application\/json/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  v.parse(shapeAt(path, status), body);
  expect(text).not.toMatch(/\bat .*\.ts|node_modules|TypeError|RangeError/);
}

const MIB = 1_048_576;

describe.each(ENDPOINTS)("POST %s", (path) => {
  it.each([
    ["no JSON", "{"],
    ["a comment", "{} // x"],
    ["a trailing comma", '{"a":1,}'],
    ["two values", "{}{}"],
    ["NaN", '{"a":NaN}'],
    ["single quotes", "{'a':1}"],
    ["a form", "a=1&b=2"],
    ["a NUL", "\u0000"],
    ["white space", "  \n "],
    ["an empty array", "[]"],
    ["an array of arrays", "[[]]"],
    ["a string", '"x"'],
    ["a number", "1"],
    ["zero", "0"],
    ["null", "null"],
    ["true", "true"],
    ["an empty object", "{}"],
    ["a lone surrogate", '"\\ud800"'],
  ])("%s: 400", async (_, body) => {
    expectError(path, await post(path, body), 400);
  });

  it("an empty body: 400", async () => {
    expectError(path, await send(path, { method: "POST", headers: { "content-type": "application/json" } }), 400);
    expectError(path, await post(path, ""), 400);
  });

  it("bytes that are not UTF-8: 400", async () => {
    const body = new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]);
    expectError(path, await send(path, { method: "POST", body }), 400);
  });

  // RFC 9110, section 15.5.16.
  it.each([
    "text/plain",
    "text/html",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "json",
    "x",
  ])("Content-Type: %s: 415", async (type) => {
    expectError(path, await post(path, "{}", { "content-type": type }), 415);
  });

  it.each(["gzip", "br", "deflate", "identity, gzip", "x"])("Content-Encoding: %s: 415", async (encoding) => {
    const body = await new Response(new Blob(["{}"]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    expectError(path, await send(path, { method: "POST", headers, body }), 415);
  });

  it.each(["gzip", "br"])(
    "Content-Encoding: %s on a plain body: 415, because a proxy in front would decode another body",
    async (encoding) => {
      expectError(path, await post(path, "{}", { "content-encoding": encoding }), 415);
    },
  );

  it("Content-Encoding: identity, or no header, is accepted", async () => {
    expectError(path, await post(path, "{}", { "content-encoding": "identity" }), 400);
    expectError(path, await post(path, "{}", { "content-encoding": "" }), 400);
  });

  it("no Content-Type, or an empty one, is read as JSON", async () => {
    const body = new TextEncoder().encode("{}");
    expectError(path, await send(path, { method: "POST", body }), 400);
    expectError(path, await send(path, { method: "POST", body, headers: { "content-type": "" } }), 400);
  });

  // RFC 9110, section 15.5.9.
  it("a body that does not arrive in time: 408", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
    });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    expectError(path, await impatiently(() => send(path, init)), 408);
  });

  // RFC 9110, section 15.5.14; Content-Length cannot be trusted, and chunked bodies have none.
  it("a body over 1 MiB: 413", async () => {
    expectError(path, await post(path, JSON.stringify("x".repeat(MIB - 1))), 413);
  });

  it("a body of 1 MiB in characters, more in bytes: 413", async () => {
    expectError(path, await post(path, JSON.stringify("ä".repeat(MIB - 10))), 413);
  });

  it("a body over 1 MiB in chunks: 413", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode("[".repeat(65_536)));
        sent += 65_536;
        if (sent > 3 * MIB) controller.close();
      },
    });
    expectError(path, await send(path, { method: "POST", body }), 413);
  });

  it.each(["2", "0", "x", "-1"])("a body over 1 MiB that announces %s bytes: 413", async (length) => {
    for (const letter of ["x", "ä"]) {
      const body = JSON.stringify(letter.repeat(letter === "x" ? MIB : MIB - 10));
      expectError(path, await post(path, body, { "content-length": length }), 413);
    }
  });

  it("a body of exactly 1 MiB is read", async () => {
    expectError(path, await post(path, JSON.stringify("x".repeat(MIB - 2))), 400);
  });

  // JSON nested 150,000 deep can be parsed, but overflows the stack of recursive code.
  it.each([100, 10_000, 150_000])("nested %i deep: 400", async (levels) => {
    expectError(path, await post(path, nested(levels)), 400);
    expectError(path, await post(path, `{"request":{"input":${nested(levels)}},"params":${nested(levels)}}`), 400);
    const objects = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    expectError(path, await post(path, objects), 400);
  });

  it.each(["__proto__", "constructor", "prototype"])("members called %s, everywhere", async (name) => {
    const poison = `{"${name}":{"polluted":true,"request":{},"method":"x","jsonrpc":"2.0"}}`;
    for (const body of [
      poison,
      `{"request":${poison}}`,
      `{"jsonrpc":"2.0","id":1,"method":"${name}","params":${poison}}`,
    ]) {
      const answer = await post(path, body);
      expect(answer.status).toBeLessThan(500);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("POST /mcp: ids of a wrong type (MCP 2025-11-25, Base Protocol, Requests)", () => {
  it.each([["null"], ["true"], ["{}"], ["[]"], ["1.5"], ["1e400"], ["9007199254740993"]])("%s: 400", async (id) => {
    const answer = await post("/mcp", `{"jsonrpc":"2.0","method":"ping","id":${id}}`);
    expect(answer.status).toBe(400);
    v.parse(McpError, answer.body);
  });

  it.each(["0", "-1", '""', '"x"', "9007199254740991", `"${"x".repeat(255)}"`, '"\\ud800"', '"__proto__"'])(
    "%#: %s is echoed",
    async (id) => {
      const { status, body } = await post("/mcp", `{"jsonrpc":"2.0","method":"ping","id":${id}}`);
      expect([status, body.id]).toEqual([200, JSON.parse(id)]);
    },
  );
});

it("CORS headers of one answer do not leak into another: listings share their header objects", async () => {
  for (const path of ["/tools", "/opentool/load"]) {
    const toPage = await send(path, { headers: { origin: HOST } });
    expect(toPage.headers.get("access-control-allow-origin")).toBe(HOST);
    const etag = toPage.headers.get("etag") ?? "";
    const again = await send(path, { headers: { "if-none-match": etag, origin: HOST } });
    expect([again.status, again.headers.get("content-type"), again.text]).toEqual([304, null, ""]);
    const toOther = await send(path);
    expect(toOther.headers.get("access-control-allow-origin")).toBeNull();
    expect(toOther.headers.get("content-type")).toBe("application/json");
  }
});
