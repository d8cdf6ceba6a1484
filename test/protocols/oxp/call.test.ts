/** OXP 1.0, Call Tool: valid requests, tool ids, and when errors are 200, 400 or 422. */
import { describe, expect, it } from "vitest";
import { post } from "../../support/http.ts";
import { call, completed, postCall } from "../../support/oxp.ts";

const ADD = { tool_id: "Math.Add@1.0.0", input: { a: 10, b: 5 } };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("a call (OXP 1.0, Call Tool, Successful Execution)", () => {
  it.each(["/tools/call", "/call"])("POST %s", async (path) => {
    const request = { call_id: "123e4567-e89b-12d3-a456-426614174000", ...ADD };
    const { status, headers, body } = await postCall({ $schema: "urn:oxp:1.0", request }, path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(body).toEqual({
      $schema: "urn:oxp:1.0",
      result: { call_id: request.call_id, duration: expect.any(Number), success: true, value: 15 },
    });
  });

  it.each(["urn:oxp:1.0", "otc://1.0", "https://x.example/spec/http/1.0/openapi.json"])(
    "$schema %s",
    async ($schema) => {
      const { status, body } = await postCall({ $schema, request: ADD });
      expect([status, body.$schema]).toEqual([200, "urn:oxp:1.0"]);
    },
  );

  it.each(["urn:oxp:2.0", "", 1, true, {}, ["urn:oxp:1.0"]])(
    "$schema %j: 400 that names what is supported (Server Errors)",
    async ($schema) => {
      const { status, body } = await postCall({ $schema, request: ADD });
      expect(status).toBe(400);
      expect(body.message).toContain("urn:oxp:1.0");
    },
  );

  it("unknown members of the request are ignored", async () => {
    const body = { extra: 1, request: { ...ADD, extra: [], context: { extra: {} } } };
    expect((await postCall(body)).body.result.value).toBe(15);
  });

  it("unknown parameters are ignored", async () => {
    expect(await completed("Math.Add", { a: 1, b: 2, c: 3 })).toBe(3);
  });
});

describe("call_id and trace_id (OXP 1.0, Call Tool Request)", () => {
  it('"If not provided, the server will generate one": a UUID, another each time', async () => {
    const [one, two] = await Promise.all([postCall({ request: ADD }), postCall({ request: ADD })]);
    expect(one.body.result.call_id).toMatch(UUID);
    expect(two.body.result.call_id).not.toBe(one.body.result.call_id);
  });

  // 1 to 255 characters of well-formed Unicode, never trimmed, folded or normalized.
  it.each([
    ["one character", "x"],
    ["spaces", "  a b "],
    ["both cases", "AbC"],
    ["a decomposed letter", "e\u0301"],
    ["a control character", "\u0000"],
    ["255 characters", "x".repeat(255)],
    ["255 code points of two units each", "😀".repeat(255)],
    ["a name that every object has", "__proto__"],
  ])("%s: echoed unchanged", async (_, call_id) => {
    const { status, body } = await call("Math.Add", ADD.input, { call_id });
    expect(status).toBe(200);
    expect(body.result.call_id).toBe(call_id);
  });

  // A wrong type, an empty string or a lone surrogate is a 400.
  it.each([
    ["empty", ""],
    ["256 characters", "x".repeat(256)],
    ["256 code points", "😀".repeat(256)],
    ["a lone surrogate", "\ud800"],
    ["a number", 1],
    ["zero", 0],
    ["true", true],
    ["a list", ["x"]],
    ["an object", { id: "x" }],
  ])("%s: 400", async (_, call_id) => {
    const { status, body } = await call("Math.Add", ADD.input, { call_id });
    expect(status).toBe(400);
    expect(body.message).toContain("call_id");
  });

  it("a call_id stays echoed when the call fails", async () => {
    const { body } = await call("Failing.Faults", { how: "plain" }, { call_id: "failing-1" });
    expect(body.result).toMatchObject({ call_id: "failing-1", success: false });
  });

  it("trace_id reaches the tool", async () => {
    expect(await completed("Needs.Nothing", {}, { trace_id: "trace_123" })).toMatchObject({
      trace: { id: "trace_123" },
    });
  });

  it.each([1, {}, ["t"]])("trace_id %j: 400, as it is a string", async (trace_id) => {
    expect((await call("Math.Add", ADD.input, { trace_id })).status).toBe(400);
  });
});

describe("tool version resolution (OXP 1.0, Tool Version Resolution)", () => {
  it.each([
    ["Versions.Number", "10.0.0", "the latest, by semver order and not by string order"],
    ["Versions.Number@1", "1.0.0", '"the server MUST use the version x.0.0"'],
    ["Versions.Number@2", "2.0.0", '"the server MUST use the version x.0.0"'],
    ["Versions.Number@10", "10.0.0", '"the server MUST use the version x.0.0"'],
    ["Versions.Number@1.0.0", "1.0.0", '"the server MUST use the exact version specified"'],
    ["Versions.Number@2.0.0", "2.0.0", '"the server MUST use the exact version specified"'],
    ["Versions.Number@10.0.0", "10.0.0", '"the server MUST use the exact version specified"'],
    ["Versions.Number@01", "1.0.0", "versions are integers, not text"],
    ["Versions.Patched", "1.2.0", "the latest"],
    ["Versions.Patched@1.2.0", "1.2.0", "exact"],
  ])("%s runs %s: %s", async (tool_id, version) => {
    expect(await completed(tool_id)).toBe(version);
  });

  it.each([
    ["Versions.Number@3", "Versions.Number version 3.0.0 is not available"],
    ["Versions.Number@1.0.1", "Versions.Number version 1.0.1 is not available"],
    ["Versions.Number@0", "Versions.Number version 0.0.0 is not available"],
    // With only 1.2.0 present, `@1` is not available (400).
    ["Versions.Patched@1", "Versions.Patched version 1.0.0 is not available"],
    [`Versions.Number@${"9".repeat(400)}`, "is not available"],
  ])("%s is not available: 400 as in the documents' Server Error", async (tool_id, developerMessage) => {
    const { status, body } = await call(tool_id);
    expect(status).toBe(400);
    expect(body.message).toBe(`Tool '${tool_id.split("@")[0]?.replace(".", "_")}' was not found`);
    expect(body.developer_message).toContain(developerMessage);
  });

  it.each(["Versions.Missing", "Missing.Number", "versions.number", "Versions.Number_", "constructor.prototype"])(
    '%s: "The requested tool ID … cannot be found" is a 400',
    async (tool_id) => {
      const { status, body } = await call(tool_id);
      expect([status, body.message]).toEqual([400, `Tool '${tool_id}' was not found`]);
    },
  );

  // openapi.json, ToolId; `@1.0` is outside the grammar.
  it.each([
    ...["Versions.Number@1.0", "Versions.Number@", "Versions.Number@v1", "Versions.Number@1.0.0-rc.1", "Number"],
    ...[
      "Versions_Number",
      "Versions.Number@1.0.0.0",
      "Versions.Number@latest",
      " Versions.Number",
      "Versions.Number\n",
    ],
    ...[
      "Versions.Number@1 ",
      "Versions..Number",
      "Versions.Nümber",
      "",
      "__proto__",
      "\ud800.a",
      null,
      1,
      true,
      {},
      [],
    ],
  ])('tool_id %j: "The requested tool ID is invalid" is a 400', async (tool_id) => {
    const { status, body } = await postCall({ request: { tool_id, input: {} } });
    expect(status).toBe(400);
    expect(body.message).toContain("tool_id");
  });
});

describe("input", () => {
  it.each([
    ["input", { input: { a: 1, b: 2 } }, 3],
    ["inputs", { inputs: { a: 1, b: 2 } }, 3],
    ["both: `input` wins", { inputs: { a: 1, b: 2 }, input: { a: 10, b: 20 } }, 30],
  ])("%s", async (_, members, sum) => {
    expect((await postCall({ request: { tool_id: "Math.Add", ...members } })).body.result.value).toBe(sum);
  });

  it("leaving out both `input` and `inputs` means {}", async () => {
    expect((await postCall({ request: { tool_id: "Versions.Number" } })).status).toBe(200);
    expect((await postCall({ request: { tool_id: "Math.Add" } })).body.parameter_errors).toEqual({
      a: "Is required",
      b: "Is required",
    });
  });

  it.each([[[]], [[{ a: 1 }]], [""], ["a"], [1], [true]])("%j: malformed input is a 422", async (input) => {
    for (const members of [{ input }, { inputs: input }]) {
      const { status, body } = await postCall({ request: { tool_id: "Math.Add", ...members } });
      expect(status).toBe(422);
      expect(body.parameter_errors).toEqual({ input: "Must be an object of parameters" });
    }
  });

  it("a tool without parameters refuses malformed input as well", async () => {
    expect((await call("Versions.Number", [])).status).toBe(422);
  });
});

describe("input validation errors (OXP 1.0, Input Validation Errors)", () => {
  it("maps the parameter to its error as in the documents' example", async () => {
    const { status, body } = await call("Math.Add", { a: 10, b: "infinity" });
    expect(status).toBe(422);
    expect(body).toEqual({
      $schema: "urn:oxp:1.0",
      message: "Some input parameters are invalid",
      parameter_errors: { b: "Must be a number" },
    });
  });

  it("reports every error at once, by parameter name (dotted paths for nested ones)", async () => {
    const { status, body } = await call("Echo.Order", {
      customer: { name: "", address: { zip: "x" } },
      items: [{ count: 1 }, { count: 1.5 }, { count: "2" }, 3],
      speed: "warp",
      gift: "yes",
      note: 1,
    });
    expect(status).toBe(422);
    expect(body.parameter_errors).toEqual({
      "customer.name": expect.stringContaining("at least 1"),
      "customer.address.street": "Is required",
      "customer.address.zip": expect.stringContaining("Must be of the form"),
      "items.1.count": "Must be a whole number",
      "items.2.count": "Must be a number",
      "items.3": "Must be an object",
      speed: 'Must be one of "slow", "fast"',
      gift: "Must be true or false",
      // The author's message is kept.
      note: "Say it in words",
    });
  });

  it("repeats nothing of the input, which may be a secret", async () => {
    const { status, text } = await call("Echo.Order", { customer: "s3cret", items: "s3cret", speed: "s3cret" });
    expect(status).toBe(422);
    expect(text).not.toContain("s3cret");
  });

  it("an unknown tool is a 400, whatever its input", async () => {
    expect((await call("Math.Missing", "malformed")).status).toBe(400);
  });
});

describe("unreadable requests are a 400", () => {
  it.each([
    ...[{}, { request: null }, { request: [] }, { request: "x" }, { request: 1 }, { tool_id: "Math.Add" }],
    ...[{ request: {} }, { request: { ...ADD, context: [] } }, { request: { ...ADD, context: "x" } }],
  ])("%j", async (body) => {
    expect((await postCall(body)).status).toBe(400);
  });

  it.each(["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json"])(
    "Content-Type: %s is taken",
    async (type) => {
      expect((await post("/tools/call", { request: ADD }, { "content-type": type })).status).toBe(200);
    },
  );
});
