/** Each path also exists under /<toolkit>/, with the tools of that toolkit only. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { post, send } from "../support/http.ts";
import { rpc } from "../support/opentool.ts";
import { call } from "../support/oxp.ts";
import { ListToolsResponse } from "../support/oxp-shapes.ts";

describe("OXP", () => {
  it.each([
    ["/math/tools", ["Math.Add@1.0.0"]],
    // A toolkit's path is the name of its folder, even if the toolkit defines another name.
    ["/loud/tools", ["LOUD.Say@1.0.0"]],
    ["/two-words/tools", ["TwoWords.SayHello@1.0.0"]],
    // Percent-encoding changes nothing about a path (RFC 3986, section 6.2.2.2).
    ["/ma%74h/tools", ["Math.Add@1.0.0"]],
    ["/%6Coud/tools", ["LOUD.Say@1.0.0"]],
    ["/two%2Dwords/tools", ["TwoWords.SayHello@1.0.0"]],
  ])("GET %s lists %j", async (path, ids) => {
    const { status, body } = await send(path);
    expect(status).toBe(200);
    v.parse(ListToolsResponse, body);
    expect(body.tools.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  it.each(["/math/tools/call", "/math/call", "/ma%74h/call"])("POST %s calls one of its tools", async (path) => {
    expect((await call("Math.Add", { a: 1, b: 2 }, {}, path)).body.result.value).toBe(3);
  });

  it("a tool of another toolkit is not found: 400 as for any unknown tool", async () => {
    const there = await call("Math.Add", { a: 1, b: 2 }, {}, "/loud/tools/call");
    expect([there.status, there.body.message]).toEqual([400, "Tool 'Math.Add' was not found"]);
  });

  it.each(["/math/health", "/math/info"])("GET %s", async (path) => {
    expect((await send(path)).status).toBe(200);
  });
});

describe("OpenTool", () => {
  it("GET /math/opentool/load lists its functions only", async () => {
    const { body } = await send("/math/opentool/load");
    expect(body.functions.map(({ name }: { name: string }) => name)).toEqual(["Math_Add"]);
  });

  it("GET /math/opentool/version", async () => {
    expect((await send("/math/opentool/version")).status).toBe(200);
  });

  it("POST /math/opentool/call calls its functions only", async () => {
    const path = "/math/opentool/call";
    expect((await rpc("Math_Add", { a: 1, b: 2 }, { path })).body.result).toEqual({ value: 3 });
    expect((await rpc("LOUD_Say", { text: "x" }, { path })).body.error.code).toBe(404);
    expect((await rpc("LOUD.Say@1.0.0", { text: "x" }, { path })).body.error.code).toBe(404);
  });

  it("POST /math/opentool/streamCall", async () => {
    const body = { jsonrpc: "2.0", method: "LOUD_Say", params: { text: "x" }, id: 1 };
    expect((await post("/math/opentool/streamCall", body)).text).toContain('"code":404');
  });
});

describe("unknown toolkits: 404", () => {
  const NAMES = ["nope", "Math", "LOUD", "__proto__", "constructor", "math%2F", "%00", "%zz", "%E0%A4%A", "math."];

  it.each(NAMES.flatMap((name) => [`/${name}/tools`, `/${name}/opentool/load`]))("GET %s", async (path) => {
    const { status, body } = await send(path);
    expect(status).toBe(404);
    expect(body).toBeDefined();
  });

  it.each(["/math", "/math/", "/math/math/tools", "/math/nothing", "/math//tools", "/tools/math"])(
    "GET %s",
    async (path) => {
      expect((await send(path)).status).toBe(404);
    },
  );
});
