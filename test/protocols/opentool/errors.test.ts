/** OpenTool 1.0: errors, and the event stream. */
import { describe, expect, it } from "vitest";
import { post } from "../../support/http.ts";
import { eventsOf, postRpc, rpc } from "../../support/opentool.ts";

describe("errors (a 200 with `error`)", () => {
  // Codes: 500 tool failed, 404 unknown function, 400 invalid request, 422 invalid parameters, 408 timed out.
  it.each<[string, unknown, number, string | RegExp]>([
    ["Failing_Doorbell", { doorbell_id: "x" }, 500, "Doorbell ID not found (ids: doorbell42,doorbell84)"],
    ["Failing_Faults", { how: "plain" }, 500, "No such thing"],
    ["Failing_Faults", { how: "wait" }, 500, "Busy (try again in 1200 ms)"],
    ["Failing_Faults", { how: "retry" }, 500, "Busy (try again)"],
    ["Failing_Faults", { how: "endless wait" }, 500, "Busy (try again)"],
    ["Failing_Throws", { what: "error" }, 500, "The tool failed because of an internal error."],
    ["Outputs_Any", { kind: "NaN" }, 500, "The tool's result cannot be represented in JSON."],
    ["Outputs_NoBlocks", {}, 500, "The tool's result does not match its declared output."],
    ["Outputs_Broken", {}, 500, "The tool's result does not match its declared output."],
    ["Missing_Tool", {}, 404, "Unknown function Missing_Tool; GET /opentool/load lists all functions"],
    // The name in the request, not the spelling of another tool that may exist.
    ["Missing.Tool", {}, 404, "Unknown function Missing.Tool; GET /opentool/load lists all functions"],
    ["Missing.Tool@1.0.0", {}, 404, /Missing\.Tool/],
    ["Versions.Number@3", {}, 404, "Version 3 of Versions.Number is not available"],
    ["Versions.Number@1.0", {}, 404, /Versions\.Number@1\.0/],
    ["", {}, 404, /function/],
    ["__proto__", {}, 404, /__proto__/],
    ["constructor", {}, 404, /constructor/],
    ["\ud800", {}, 404, /function/],
    ["Math_Add", {}, 422, "Invalid parameters: a: Is required; b: Is required"],
    ["Math_Add", { a: 1, b: "2" }, 422, "Invalid parameters: b: Must be a number"],
    ["Math_Add", [1, 2], 422, "Invalid parameters: Must be an object of parameters"],
    ["Math_Add", "x", 422, "Invalid parameters: Must be an object of parameters"],
    ["Failing_Slow", { name: "opentool" }, 408, /50 ms.*try again/],
    // Secrets and tokens can only come from the Worker's secrets.
    ["Needs_Everything", {}, 400, /authorization "google", secret "API_KEY", a user id/],
  ])("%j %j: %i", async (method, params, code, message) => {
    const { status, body, text } = await rpc(method, params, { id: 7 });
    expect(status).toBe(200);
    // A failed call has `"result": {}` next to `error`.
    expect(body).toMatchObject({ jsonrpc: "2.0", result: {}, error: { code }, id: 7 });
    if (typeof message === "string") expect(body.error.message).toBe(message);
    else expect(body.error.message).toMatch(message);
    expect(text).not.toContain("hidden");
  });

  it("names every failing parameter in the message, nested ones by dotted path", async () => {
    const { body } = await rpc("Echo_Order", { customer: { name: "n", address: { street: 1 } }, items: [{}] });
    for (const path of ["customer.address.street", "customer.address.zip", "items.0.count"]) {
      expect(body.error.message).toContain(path);
    }
  });

  it("has the fields of a failure in data", async () => {
    expect((await rpc("Failing_Doorbell", { doorbell_id: "x" })).body.error.data).toEqual({
      can_retry: true,
      retry_after_ms: 500,
      additional_prompt_content: "ids: doorbell42,doorbell84",
      developer_message: "The doorbell with ID 'x' does not exist.",
    });
  });

  it("a secret of the Worker meets a requirement, parameters do not", async () => {
    expect((await rpc("Needs_WorkerSecret")).body.result.secrets).toEqual({ FIXTURE_SECRET: "from the worker" });
    const { body } = await rpc("Counter_Needy", { name: "x", COUNTER_KEY: "x", context: { secrets: [] } });
    expect(body.error.code).toBe(400);
  });

  it.each([[[]], [[{ jsonrpc: "2.0", method: "Versions_Number", id: 1 }]], ["x"], [1], [null], [true]])(
    "%j is not a request: 400, with a body of the same shape",
    async (body) => {
      const answer = await postRpc(JSON.stringify(body));
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: { code: 400 }, id: null });
    },
  );

  it("there is no /stop", async () => {
    expect((await postRpc({}, "/opentool/stop")).status).toBe(404);
  });
});

describe("POST /opentool/streamCall (the same request, answered with server-sent events)", () => {
  const stream = (method: unknown, params?: unknown, headers?: Record<string, string>) =>
    post("/opentool/streamCall", { jsonrpc: "2.0", method, params, id: "s" }, headers);

  it("sends start, data, done, and closes", async () => {
    const { status, headers, text } = await stream("Math_Add", { a: 1, b: 2 });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/event-stream");
    expect(eventsOf(text)).toEqual([
      { event: "start", data: { start: "Math_Add" } },
      { event: "data", data: { jsonrpc: "2.0", result: { value: 3 }, error: null, id: "s" } },
      { event: "done", data: { done: "Math_Add" } },
    ]);
  });

  it.each<[string, unknown, number]>([
    ["Failing_Doorbell", { doorbell_id: "x" }, 500],
    ["Failing_Throws", { what: "object without prototype", later: true }, 500],
    ["Outputs_Any", { kind: "boxed bigint" }, 500],
    ["Failing_Slow", { name: "streamed" }, 408],
    ["Math_Add", {}, 422],
    ["Missing", {}, 404],
    ["line\nbreak", {}, 404],
    ["Needs_Everything", {}, 400],
  ])("%j %j: start, error %i, done, and closes", async (method, params, code) => {
    const { status, text } = await stream(method, params);
    expect(status).toBe(200);
    expect(eventsOf(text)).toEqual([
      { event: "start", data: { start: method } },
      {
        event: "error",
        data: { jsonrpc: "2.0", result: {}, error: expect.objectContaining({ code }), id: "s" },
      },
      { event: "done", data: { done: method } },
    ]);
  });

  it("an invalid key is an error event, since the request itself can be parsed", async () => {
    const { text } = await stream("Math_Add", { a: 1, b: 2 }, { "idempotency-key": "x".repeat(256) });
    expect(eventsOf(text).map(({ event }) => event)).toEqual(["start", "error", "done"]);
  });

  it("a body that is not a request gets the same answer as from /call", async () => {
    expect((await postRpc([], "/opentool/streamCall")).status).toBe(400);
    expect((await postRpc({ jsonrpc: "2.0" }, "/opentool/streamCall")).status).toBe(400);
  });
});
