/** OpenTool 1.0: version, load, call. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { HOST, send } from "../../support/http.ts";
import { postRpc, rpc } from "../../support/opentool.ts";

describe("GET /opentool/version (OpenTool 1.0, Get Version)", () => {
  it("answers a version in x.y.z format, and nothing else", async () => {
    const { status, body } = await send("/opentool/version");
    expect(status).toBe(200);
    expect(body).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });
});

/** OpenTool's Schema: one of six types, no `$ref`; choices that match the type. */
const Schema: v.GenericSchema = v.lazy(() =>
  v.strictObject({
    type: v.picklist(["boolean", "integer", "number", "string", "array", "object"]),
    description: v.optional(v.string()),
    properties: v.optional(v.record(v.string(), Schema)),
    items: v.optional(Schema),
    enum: v.optional(v.pipe(v.array(v.unknown()), v.minLength(1))),
    required: v.optional(v.array(v.string())),
  }),
);

/** The description document. */
const Document = v.strictObject({
  opentool: v.string(),
  info: v.strictObject({ title: v.string(), description: v.optional(v.string()), version: v.string() }),
  server: v.optional(v.strictObject({ url: v.pipe(v.string(), v.url()), description: v.optional(v.string()) })),
  functions: v.array(
    v.strictObject({
      name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)),
      description: v.pipe(v.string(), v.minLength(1)),
      parameters: v.array(
        v.strictObject({
          name: v.string(),
          description: v.optional(v.string()),
          schema: Schema,
          required: v.boolean(),
        }),
      ),
      return: v.nullish(v.strictObject({ name: v.string(), description: v.optional(v.string()), schema: Schema })),
    }),
  ),
});

describe("GET /opentool/load (OpenTool 1.0, Load OpenTool Description)", () => {
  const load = async (path = "/opentool/load") => (await send(path)).body;
  const find = async (name: string) =>
    (await load()).functions.find((candidate: { name: string }) => candidate.name === name);

  it("is a document that the published clients can read", async () => {
    v.parse(Document, await load());
  });

  it("every object schema has properties: {} for free-form objects", async () => {
    const lacking: unknown[] = [];
    const context = (schema: unknown) => {
      if (typeof schema !== "object" || schema === null) return;
      if ("type" in schema && schema.type === "object" && !("properties" in schema)) lacking.push(schema);
      for (const member of Object.values(schema)) context(member);
    };
    context((await load()).functions);
    expect(lacking).toEqual([]);
  });

  it("lists each tool once, at its latest version", async () => {
    const names = (await load()).functions.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("Versions_Number");
  });

  it.each(["/opentool/load", "/opentool/load?x=/load", "/opentool/load/", "/math/opentool/load"])(
    "%s names the address that the calls go to",
    async (path) => {
      const base = path.slice(0, path.indexOf("/load"));
      expect((await load(path)).server).toEqual({ url: `${HOST}${base}` });
    },
  );

  it("describes parameters and Return: a scalar under the name `value`", async () => {
    expect(await find("Math_Add")).toEqual({
      name: "Math_Add",
      description: "Adds two numbers.",
      parameters: [
        {
          name: "a",
          description: "The first number.",
          schema: { type: "number", description: "The first number." },
          required: true,
        },
        {
          name: "b",
          description: "The second number.",
          schema: { type: "number", description: "The second number." },
          required: true,
        },
      ],
      return: { name: "value", schema: { type: "number" } },
    });
  });

  it("has no `return` for a tool without output", async () => {
    expect((await find("Failing_Doorbell")).return ?? null).toBeNull();
  });

  it("turns schemas that the format cannot express into one of its six types", async () => {
    const { parameters } = await find("TwoWords_SayHello");
    expect(parameters).toMatchObject([
      { name: "greeting", required: false, schema: { type: "string", enum: ["hello", "hi"] } },
      // A union with null.
      { name: "times", required: true, schema: { type: "integer" } },
      { name: "tags", required: false, schema: { type: "array", items: { type: "string" } } },
      // A record.
      { name: "extra", required: false, schema: { type: "object", properties: {} } },
    ]);
  });

  it("answers 304 to a client that has the document (RFC 9110, section 13.1.2)", async () => {
    const tag = (await send("/opentool/load")).headers.get("etag") ?? "";
    expect((await send("/opentool/load", { headers: { "if-none-match": tag } })).status).toBe(304);
  });
});

describe("POST /opentool/call (OpenTool 1.0, Call Tool)", () => {
  it("answers with result, `error: null` and the id", async () => {
    const { status, body, headers } = await rpc("Math_Add", { a: 10, b: 5 }, { id: "call-1" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(body).toEqual({ jsonrpc: "2.0", result: { value: 15 }, error: null, id: "call-1" });
  });

  // `id` is echoed, whatever its JSON type.
  it.each<[string, unknown[]]>([
    ["a string", ["", "x", "\ud800", "x".repeat(100_000)]],
    ["a number", [0, 1, -1, 1.5, 2 ** 53 - 1]],
    ["another value", [null, true, false, [], [1], {}, { a: 1 }]],
  ])("an id that is %s is echoed", async (_, ids) => {
    for (const id of ids) {
      const { body } = await rpc("Math_Add", { a: 1, b: 2 }, { id });
      expect(body.error).toBeNull();
      expect(body.id).toStrictEqual(id);
      expect((await rpc("Missing", {}, { id })).body.id).toStrictEqual(id);
    }
  });

  it("no id: null (JSON-RPC 2.0, section 5)", async () => {
    expect((await postRpc({ jsonrpc: "2.0", method: "Versions_Number" })).body.id).toBeNull();
  });

  it.each(["2.0", "2.0.0"])('jsonrpc %j is taken, "2.0" is answered', async (jsonrpc) => {
    const { body } = await postRpc({ jsonrpc, method: "Versions_Number", id: 1 });
    expect(body).toMatchObject({ jsonrpc: "2.0", error: null });
  });

  it.each([["1.0"], [2], [null], [undefined], ["2.0.1"]])(
    "jsonrpc %j: 400, as for any body that is not a JSON-RPC request",
    async (jsonrpc) => {
      const { status, body } = await postRpc({ jsonrpc, method: "Versions_Number", id: "kept" });
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { code: 400 }, id: "kept" });
    },
  );

  it.each([[null], [1], [{}], [["Math_Add"]], [undefined]])("method %j: 400", async (method) => {
    expect((await postRpc({ jsonrpc: "2.0", method, id: 1 })).status).toBe(400);
  });

  // An object is returned as it is; any other value is wrapped; no output is `{}`, never `null`.
  it.each<[string, object, object]>([
    ["Outputs_Point", {}, { x: 1 }],
    ["Outputs_Nothing", {}, {}],
    ["Outputs_Any", { kind: "object" }, { a: 1 }],
    ["Outputs_Any", { kind: "list" }, { value: [1, 2] }],
    ["Outputs_Any", { kind: "text" }, { value: "text" }],
    ["Outputs_Any", { kind: "boolean" }, { value: false }],
    ["Outputs_Any", { kind: "null" }, { value: null }],
    ["Outputs_Any", { kind: "undefined" }, {}],
    ["Outputs_Any", { kind: "date" }, { value: "1970-01-01T00:00:00.000Z" }],
  ])("%s %j gives %j", async (method, params, result) => {
    expect((await rpc(method, params)).body).toMatchObject({ error: null });
    expect((await rpc(method, params)).body.result).toEqual(result);
  });

  // `method` may also be a full OXP id.
  it.each([
    ["Versions_Number", "10.0.0"],
    ["Versions.Number", "10.0.0"],
    ["Versions.Number@1.0.0", "1.0.0"],
    ["Versions.Number@2", "2.0.0"],
  ])("%s runs %s", async (method, value) => {
    expect((await rpc(method)).body.result).toEqual({ value });
  });

  it.each([[undefined], [null], [{}]])("params %j: no parameters", async (params) => {
    expect((await rpc("Versions_Number", params)).body.error).toBeNull();
  });
});
