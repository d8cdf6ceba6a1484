/** OXP 1.0, Call Tool Response: successful and failed results. */
import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Outcome } from "../../../src/core/model/outcome.ts";
import type { RequestContext } from "../../../src/http/request-context.ts";
import { render, renderLate } from "../../../src/protocols/oxp/render.ts";
import { call, completed } from "../../support/oxp.ts";
import { shapeOf } from "../../support/oxp-shapes.ts";

afterEach(() => vi.restoreAllMocks());

/** The lines that the Worker logs while `during` runs: a spy on the console, which belongs to the platform. */
async function logged(during: () => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line) => lines.push(String(line)));
  await during();
  return lines.join("\n");
}

describe("tool execution errors (OXP 1.0, Tool Execution Errors)", () => {
  it("has the five fields of the documents' example", async () => {
    const { status, body } = await call("Failing.Doorbell@0.1.0", { doorbell_id: "doorbell1" });
    expect(status).toBe(200);
    expect(body.result).toEqual({
      call_id: expect.any(String),
      duration: expect.any(Number),
      success: false,
      error: {
        message: "Doorbell ID not found",
        developer_message: "The doorbell with ID 'doorbell1' does not exist.",
        can_retry: true,
        additional_prompt_content: "ids: doorbell42,doorbell84",
        retry_after_ms: 500,
      },
    });
  });

  it("tells a call that runs from a tool that failed, in a header: clients poll the one, and give up on the other", async () => {
    const answer = () => call("Counter.Bump", { name: "never ends", ending: "timeout" }, { call_id: "never ends" });
    const failed = await answer();
    expect(failed.body.result.error).toMatchObject({ message: "The tool took too long to answer", can_retry: true });
    expect(failed.headers.has("idempotency-running")).toBe(false);
    // It was told to stop, and did not: the key is still taken.
    const running = await answer();
    expect(running.body.result.error).toMatchObject({ can_retry: true, retry_after_ms: expect.any(Number) });
    expect(running.headers.get("idempotency-running")).toBe("true");
  });

  it.each([
    ["plain", { message: "No such thing", can_retry: false }],
    ["wait", { message: "Busy", can_retry: true, retry_after_ms: 1200 }],
    ["retry", { message: "Busy", can_retry: true }],
    // openapi.json, ToolError: `retry_after_ms` is an integer. It is rounded up, so that no client comes too early.
    ["fractional wait", { message: "Busy", can_retry: true, retry_after_ms: 1 }],
    ["endless wait", { message: "Busy", can_retry: true }],
    // openapi.json, ToolError: `message` is required.
    ["no message", { message: "The tool failed.", can_retry: false }],
  ])("ToolError, %s", async (how, error) => {
    const { status, body } = await call("Failing.Faults", { how });
    expect(status).toBe(200);
    expect(body.result.error).toEqual(error);
  });

  it.each(
    [
      ...["error", "string", "null", "undefined", "symbol", "object without prototype", "error with a bigint message"],
      "error with a throwing getter",
    ].flatMap((what) => [
      { what, later: false },
      { what, later: true },
    ]),
  )("$what thrown (later: $later): one fixed message, without anything of the exception", async (input) => {
    const { status, body, text } = await call("Failing.Throws", input);
    expect(status).toBe(200);
    expect(body.result.error).toEqual({ message: "The tool failed because of an internal error.", can_retry: false });
    expect(text).not.toMatch(/hidden|secret\.ts/);
  });

  it("something that only looks like a ToolError is an internal error", async () => {
    const { body, text } = await call("Failing.Faults", { how: "no fault" });
    expect(body.result.error.message).toBe("The tool failed because of an internal error.");
    expect(text).not.toContain("hidden");
  });

  it("the log has what the caller does not get", async () => {
    const log = await logged(() => call("Failing.Throws", { what: "error" }, { call_id: "to-be-logged" }));
    expect(log).toContain("hidden at /srv/secret.ts:12");
    expect(log).toContain("to-be-logged");
    expect(log).toContain("Failing.Throws@1.0.0");
  });

  it.each([
    ["Failing.Unloadable", {}],
    ["Failing.BrokenCheck", { text: "x" }],
  ])("%s is an internal error, with a safe message", async (tool_id, input) => {
    const { status, body, text } = await call(tool_id, input);
    expect([status, body.result.success]).toEqual([200, false]);
    expect(text).not.toContain("hidden");
  });
});

describe("time limit", () => {
  it.each([false, true])("ends the call and fires ctx.signal (listener throws: %s)", async (throws) => {
    const name = `timeout-${throws}`;
    const { status, body } = await call("Failing.Slow", { name, throws });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ success: false, error: { can_retry: true } });
    expect(body.result.duration).toBeGreaterThanOrEqual(40);
    expect(await completed("Failing.WhyStopped", { name })).toBe("TimeoutError");
  });
});

describe("outputs (OXP 1.0, Call Tool Response)", () => {
  it.each([
    ["object", { a: 1 }],
    ["list", [1, 2]],
    ["text", "text"],
    ["number", 1.5],
    ["boolean", false],
    ["null", null],
    // A tool without output answers without `value` or with `value: null`.
    ["undefined", null],
    ["undefined member", { a: 1 }],
    ["date", "1970-01-01T00:00:00.000Z"],
    ["date within", { at: ["1970-01-01T00:00:00.000Z"] }],
    ["lone surrogate", "\ud800"],
    // A call of another Worker's method returns a thenable that is not a Promise.
    ["thenable", "awaited"],
  ])("%s", async (kind, value) => {
    expect(await completed("Outputs.Any", { kind })).toEqual(value);
  });

  it("a member called __proto__ is an ordinary member", async () => {
    const { text } = await call("Outputs.Any", { kind: "own __proto__" });
    expect(text).toContain('"value":{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  // A result that JSON cannot represent (`Infinity`, `NaN`, a cycle) is an execution error.
  it.each([
    ...["NaN", "infinity", "cycle", "bigint", "boxed bigint", "function", "symbol", "map", "bytes"],
    ...["response", "regular expression", "error"],
    ...["undefined in a list", "throwing toJSON"],
  ])("%s: an execution error", async (kind) => {
    const { status, body, text } = await call("Outputs.Any", { kind });
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      success: false,
      error: { message: "The tool's result cannot be represented in JSON.", can_retry: false },
    });
    expect(text).not.toContain("hidden");
  });

  it("so is a number beyond JavaScript's range", async () => {
    const { body } = await call("Math.Add", { a: Number.MAX_VALUE, b: Number.MAX_VALUE });
    expect(body.result.success).toBe(false);
  });

  it("no output: a value that the tool returns anyway is dropped", async () => {
    expect(await completed("Outputs.Nothing")).toBeNull();
    expect(await completed("Failing.Doorbell", { doorbell_id: "doorbell42" })).toBeNull();
  });

  it("an output that breaks its schema is a failed call, and the value is not sent", async () => {
    const { status, body, text } = await call("Outputs.Broken");
    expect(status).toBe(200);
    expect(body.result.error.message).toBe("The tool's result does not match its declared output.");
    expect(text).not.toContain("hidden");
  });
});

describe("a call whose response began before it ended (test/http/silence.test.ts has the bytes)", () => {
  const context = { challenge: () => ({ status: 403, headers: {} }) } as unknown as RequestContext;
  const OUTCOMES: Record<string, Outcome> = {
    value: { kind: "completed", value: 1 },
    failure: {
      kind: "failed",
      fault: { message: "Busy", developerMessage: "Very", canRetry: true, retryAfterMs: 1_200 },
    },
    "time limit": { kind: "timed_out", limitMs: 60_000 },
    question: { kind: "refused", refusal: { reason: "capability", capability: "roots", question: "Which?" } },
    running: { kind: "refused", refusal: { reason: "running", retryAfterMs: 2_000 } },
    rate: { kind: "refused", refusal: { reason: "busy", retryAfterMs: 2_000, limit: "rate" } as never },
    store: { kind: "refused", refusal: { reason: "unavailable", retryAfterMs: 1_000 } },
    conflict: { kind: "refused", refusal: { reason: "conflict" } },
    scope: { kind: "refused", refusal: { reason: "scope", name: "A.B", scopes: ["a"] } },
    input: { kind: "invalid", issues: [{ path: ["a"], message: "must be a number" }] } as never,
  };
  const MARKED: Record<string, RegExp> = { question: /^over-mcp: question$/m, running: /^idempotency-running: true$/m };

  it.each(Object.entries(OUTCOMES))(
    "ends as OXP has it for status 200, in the same words: %s",
    async (name, outcome) => {
      const result = { outcome, durationMs: 11_000, entry: undefined };
      const sooner = JSON.parse(await render(result, "c", context).text());
      const late = JSON.parse(await (await renderLate(result, "c", context)).text());
      v.parse(shapeOf(200), late);
      if (name === "value") return expect(late).toEqual(sooner);
      const { message, developer_message } = sooner.result?.error ?? sooner;
      expect(late.result).toMatchObject({ call_id: "c", duration: 11_000, success: false, error: { message } });
      expect(late.result.error.developer_message ?? "").toContain(developer_message ?? "");
      if (MARKED[name]) expect(late.result.error.developer_message).toMatch(MARKED[name]);
      if (name === "input") expect(late.result.error.developer_message).toContain("must be a number");
      const again = "retryAfterMs" in ((outcome as { refusal?: object }).refusal ?? {});
      if (again) expect(late.result.error).toMatchObject({ can_retry: true, retry_after_ms: expect.any(Number) });
    },
  );
});
