/** Idempotency over OXP and OpenTool: which calls are the same, and which results use up a key. */
import { describe, expect, it, vi } from "vitest";
import { send } from "../../support/http.ts";
import { rpc } from "../../support/opentool.ts";
import { call, completed, postCall } from "../../support/oxp.ts";

/** The store outlives a test, so tests must share neither keys nor names. */
const fresh = () => crypto.randomUUID();
const runs = (name: string) => completed("Counter.Runs", { name });

describe("the same call runs once (OXP: `call_id`)", () => {
  it("answers a duplicate with the same bytes, and a header that marks it", async () => {
    const [name, call_id] = [fresh(), fresh()];
    const first = await call("Counter.Bump", { name }, { call_id });
    const second = await call("Counter.Bump", { name }, { call_id });
    expect(second.text).toBe(first.text);
    expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
      null,
      "true",
    ]);
    expect(await runs(name)).toBe(1);
  });

  // Member order, white space, `input` or `inputs`, `$schema` and the path do not matter; the resolved tool id and the
  // input do. Secrets that the tool does not declare do not count either.
  it.each<[string, (tool_id: string, name: string, call_id: string) => [unknown, string?]]>([
    [
      "another member order",
      (tool_id, name, call_id) => [
        { request: { input: { more: { b: [1, { d: 1, c: 2 }], a: 1 }, name }, tool_id, call_id } },
      ],
    ],
    [
      "white space",
      (tool_id, name, call_id) => [
        JSON.stringify({ request: { tool_id, call_id, input: { name, more: MORE } } }, null, "\t "),
      ],
    ],
    [
      "escapes and spellings of numbers",
      (tool_id, name, call_id) => [
        `{"request":{"tool_id":"${tool_id}","call_id":"${call_id}","input":{"n\\u0061me":"${name}","more":{"a":1.0,"b":[1e0,{"c":2,"d":1}]}}}}`,
      ],
    ],
    ["`inputs`", (tool_id, name, call_id) => [{ request: { tool_id, call_id, inputs: { name, more: MORE } } }]],
    [
      "$schema",
      (tool_id, name, call_id) => [
        { $schema: "otc://1.0", request: { tool_id, call_id, input: { name, more: MORE } } },
      ],
    ],
    ["/call", (tool_id, name, call_id) => [{ request: { tool_id, call_id, input: { name, more: MORE } } }, "/call"]],
    [
      "the toolkit's path",
      (tool_id, name, call_id) => [
        { request: { tool_id, call_id, input: { name, more: MORE } } },
        "/counter/tools/call",
      ],
    ],
    [
      "@1",
      (tool_id, name, call_id) => [{ request: { tool_id: `${tool_id}@1`, call_id, input: { name, more: MORE } } }],
    ],
    [
      "@1.0.0",
      (tool_id, name, call_id) => [{ request: { tool_id: `${tool_id}@1.0.0`, call_id, input: { name, more: MORE } } }],
    ],
    [
      "another trace_id, and secrets that the tool did not declare",
      (tool_id, name, call_id) => [
        {
          request: {
            tool_id,
            call_id,
            trace_id: fresh(),
            input: { name, more: MORE },
            context: { secrets: [{ id: "x", value: fresh() }] },
          },
        },
      ],
    ],
  ])("%s", async (_, again) => {
    const [name, call_id] = [fresh(), fresh()];
    await call("Counter.Bump", { name, more: MORE }, { call_id });
    const [body, path] = again("Counter.Bump", name, call_id);
    expect((await postCall(body, path)).body.result).toMatchObject({ success: true, value: 1 });
    expect(await runs(name)).toBe(1);
  });

  it("no input and an empty input are the same", async () => {
    const call_id = fresh();
    await postCall({ request: { tool_id: "Versions.Number", call_id } });
    const { headers } = await postCall({ request: { tool_id: "Versions.Number", call_id, input: {} } });
    expect(headers.get("idempotency-replayed")).toBe("true");
  });

  it("a result without a value is replayed without a value", async () => {
    const more = { call_id: fresh() };
    const first = await call("Outputs.Nothing", {}, more);
    expect((await call("Outputs.Nothing", {}, more)).text).toBe(first.text);
  });
});

const MORE = { a: 1, b: [1, { c: 2, d: 1 }] };

describe("another call", () => {
  it.each<[string, unknown, unknown]>([
    ["another value", { a: 1 }, { a: 2 }],
    ["another type", 1, "1"],
    ["another order in a list", [1, 2], [2, 1]],
    ["one parameter more", undefined, null],
    ["another normal form of a text", "\u00e9", "e\u0301"],
    ["one lone surrogate for another", "\ud800", "\ud801"],
    ["true for 1", true, 1],
  ])("with %s: 400, as a conflict", async (_, one, other) => {
    const [name, call_id] = [fresh(), fresh()];
    await call("Counter.Bump", { name, more: one }, { call_id });
    const { status, body } = await call("Counter.Bump", { name, more: other }, { call_id });
    expect(status).toBe(400);
    expect(body.message).toContain("call_id");
    expect(await runs(name)).toBe(1);
  });

  it("of another tool runs under the same call_id", async () => {
    const [name, call_id] = [fresh(), fresh()];
    expect(await completed("Counter.Bump", { name }, { call_id })).toBe(1);
    expect(await completed("Counter.Other", { name }, { call_id })).toBe(2);
  });

  it("of another version is refused: a call that names no version must find what ran under its key", async () => {
    const call_id = fresh();
    expect(await completed("Versions.Number@1", {}, { call_id })).toBe("1.0.0");
    expect(await completed("Versions.Number@01.0.0", {}, { call_id })).toBe("1.0.0");
    expect((await call("Versions.Number@2", {}, { call_id })).status).toBe(400);
    // A call without a version gets the one that ran.
    expect(await completed("Versions.Number", {}, { call_id })).toBe("1.0.0");
  });

  it("of another user runs under the same call_id (context.user_id, whether the tool requires it or not)", async () => {
    const [name, call_id] = [fresh(), fresh()];
    const of = (user_id?: string) => completed("Counter.Bump", { name }, { call_id, context: { user_id } });
    expect([await of("ada"), await of("bob"), await of(), await of("ada"), await of("bob"), await of()]).toEqual([
      1, 2, 3, 1, 2, 3,
    ]);
  });

  describe("with other secrets is refused, and does not run", () => {
    const bring = (value: string) => ({ secrets: [{ id: "COUNTER_KEY", value }] });

    it("when the first is done", async () => {
      const [name, call_id] = [fresh(), fresh()];
      expect(await completed("Counter.Needy", { name }, { call_id, context: bring("ada's") })).toBe(1);
      expect((await call("Counter.Needy", { name }, { call_id, context: bring("bob's") })).status).toBe(400);
      expect(await completed("Counter.Needy", { name }, { call_id, context: bring("ada's") })).toBe(1);
      expect(await runs(name)).toBe(1);
    });

    it("while the first runs", async () => {
      const [name, call_id] = [fresh(), fresh()];
      const first = call("Counter.Hold", { name }, { call_id, context: bring("ada's") });
      while ((await runs(name)) === 0) await new Promise((resume) => setTimeout(resume, 5));
      expect((await call("Counter.Hold", { name }, { call_id, context: bring("bob's") })).status).toBe(400);
      await completed("Counter.LetGo", { name });
      expect((await first).body.result.value).toBe(1);
      expect(await runs(name)).toBe(1);
    });
  });

  it("under another call_id, such as one in another case or with a space, runs", async () => {
    const [name, call_id] = [fresh(), fresh()];
    for (const [index, id] of [call_id, call_id.toUpperCase(), ` ${call_id}`].entries()) {
      expect(await completed("Counter.Bump", { name }, { call_id: `${id}x` })).toBe(index + 1);
    }
  });

  it("without a call_id runs each time", async () => {
    const name = fresh();
    expect([await completed("Counter.Bump", { name }), await completed("Counter.Bump", { name })]).toEqual([1, 2]);
  });
});

describe("calls that do not use up their key", () => {
  it.each<[string, string, object, object?]>([
    ["an unknown tool", "Counter.Missing", {}],
    ["an unknown version", "Counter.Bump@9", {}],
    ["invalid input", "Counter.Bump", { name: 1 }],
    ["a missing requirement", "Counter.Needy", {}],
  ])("%s", async (_, tool_id, input) => {
    const [name, call_id] = [fresh(), fresh()];
    expect((await call(tool_id, { name, ...input }, { call_id })).status).toBeGreaterThanOrEqual(400);
    const context = { secrets: [{ id: "COUNTER_KEY", value: "x" }] };
    const tool = tool_id === "Counter.Needy" ? tool_id : "Counter.Bump";
    expect(await completed(tool, { name }, { call_id, context })).toBe(1);
  });

  it.each(["retryable", "obedient", "obedient wrapped", "obedient by the runtime"])(
    "a failure that may be tried again: %s",
    async (ending) => {
      const [name, call_id] = [fresh(), fresh()];
      for (let run = 1; run <= 2; run++) {
        const { body } = await call("Counter.Bump", { name, ending }, { call_id });
        expect(body.result).toMatchObject({ call_id, success: false, error: { can_retry: true } });
        expect(await runs(name)).toBe(run);
      }
    },
  );

  it("the call that then completes is stored", async () => {
    const [name, call_id] = [fresh(), fresh()];
    const input = { name, ending: "retryable once" };
    expect((await call("Counter.Bump", input, { call_id })).body.result.success).toBe(false);
    expect(await completed("Counter.Bump", input, { call_id })).toBe(2);
    expect(await completed("Counter.Bump", input, { call_id })).toBe(2);
  });
});

describe("a call that times out keeps its key while its tool is running: it may still have its effect", () => {
  it("is reported as running if it is sent again, and does not run twice", async () => {
    const [name, call_id] = [fresh(), fresh()];
    for (let sent = 1; sent <= 2; sent++) {
      const { body } = await call("Counter.Bump", { name, ending: "timeout" }, { call_id });
      expect(body.result).toMatchObject({ call_id, success: false, error: { can_retry: true } });
      expect(await runs(name)).toBe(1);
    }
  });

  it.each(["own timeout", "another's abort"])(
    "and runs no second time if it ends by an abort not its signal's: %s",
    async (ending) => {
      const [name, call_id] = [fresh(), fresh()];
      const send = () => call("Counter.Bump", { name, ending }, { call_id });
      expect((await send()).body.result).toMatchObject({ success: false, error: { can_retry: true } });
      for (let again = 1; again <= 2; again++) {
        const { body, headers } = await send();
        expect(body.result).toMatchObject({ success: false, error: { can_retry: false } });
        expect(headers.get("idempotency-replayed")).toBe("true");
      }
      expect(await runs(name)).toBe(1);
    },
  );

  it("returns its final result if it is sent again", async () => {
    const [name, call_id] = [fresh(), fresh()];
    const input = { name, ending: "late" };
    const { body } = await call("Counter.Bump", input, { call_id });
    expect(body.result).toMatchObject({ success: false, error: { can_retry: true } });
    let again: Awaited<ReturnType<typeof call>> | undefined;
    // Until its tool has ended, it is running.
    await vi.waitFor(async () => {
      again = await call("Counter.Bump", input, { call_id });
      expect(again.body.result).toMatchObject({ success: true, value: 1 });
    }, 10_000);
    expect(again?.headers.get("idempotency-replayed")).toBe("true");
    expect(await runs(name)).toBe(1);
  });
});

describe("the Idempotency-Key header is also a key over OXP (draft-ietf-httpapi-idempotency-key-header)", () => {
  const send = (name: string, key: string, call_id?: string) =>
    postCall({ request: { tool_id: "Counter.Bump", call_id, input: { name } } }, "/tools/call", {
      "idempotency-key": key,
    });

  it("if there is no call_id: the answer has it as call_id", async () => {
    const [name, key] = [fresh(), fresh()];
    const first = await send(name, key);
    expect(first.body.result.call_id).toBe(key);
    expect((await send(name, `"${key}"`)).text).toBe(first.text);
    expect(await runs(name)).toBe(1);
  });

  it("a call_id takes precedence", async () => {
    const [name, key] = [fresh(), fresh()];
    await send(name, key, fresh());
    await send(name, key, fresh());
    expect(await runs(name)).toBe(2);
  });

  it.each(["", "k".repeat(256)])("an invalid one is a 400, and nothing runs: %j", async (key) => {
    const name = fresh();
    const { status, body } = await send(name, key);
    expect([status, body.message]).toEqual([400, expect.stringContaining("Idempotency-Key")]);
    expect(await runs(name)).toBe(0);
  });
});

describe("the key that a tool passes on (its service can tell a second run of a call from a second call)", () => {
  it("is the same for one call, and different for every other", async () => {
    const handed = async (call_id: string) => completed("Counter.HandOn", {}, { call_id });
    const [one, two] = [await handed(fresh()), await handed(fresh())];
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(one).not.toBe(two);
  });

  it("is undefined without a key", async () => {
    expect(await completed("Counter.HandOn", {})).toBeNull();
  });
});

describe("final failures use up a key, and are replayed", () => {
  it.each(["failed", "thrown"])("%s", async (ending) => {
    const [name, call_id] = [fresh(), fresh()];
    const first = await call("Counter.Bump", { name, ending }, { call_id });
    const second = await call("Counter.Bump", { name, ending }, { call_id });
    expect(first.body.result.success).toBe(false);
    expect(second.text).toBe(first.text);
    expect(await runs(name)).toBe(1);
  });
});

describe("OpenTool: the `Idempotency-Key` header is the key, an `id` is not", () => {
  const key = (value: string) => ({ headers: { "idempotency-key": value } });

  it("the same id runs each time", async () => {
    const name = fresh();
    for (const value of [1, 2]) {
      expect((await rpc("Counter_Bump", { name }, { id: 1 })).body.result).toEqual({ value });
    }
  });

  it("the same header runs once, whatever the id, which is echoed", async () => {
    const [name, value] = [fresh(), fresh()];
    await rpc("Counter_Bump", { name }, { id: 1, ...key(value) });
    const { body, headers } = await rpc("Counter_Bump", { name }, { id: 2, ...key(value) });
    expect(body).toMatchObject({ result: { value: 1 }, id: 2 });
    expect(headers.get("idempotency-replayed")).toBe("true");
  });

  it("quoted (draft-ietf-httpapi-idempotency-key-header, section 2.1) is the same key as bare", async () => {
    const [name, value] = [fresh(), fresh()];
    await rpc("Counter_Bump", { name }, key(value));
    expect((await rpc("Counter_Bump", { name }, key(`"${value}"`))).body.result).toEqual({ value: 1 });
  });

  it("with other parameters: 409, and the message says what to do", async () => {
    const value = fresh();
    await rpc("Counter_Bump", { name: fresh() }, key(value));
    const { status, body } = await rpc("Counter_Bump", { name: fresh() }, key(value));
    expect([status, body.error.code]).toEqual([200, 409]);
    expect(body.error.message).toContain("use a new key");
  });

  it.each(["", '""', "x".repeat(256)])("an invalid key is refused: %j", async (value) => {
    const { status, body } = await rpc("Math_Add", { a: 1, b: 2 }, key(value));
    expect([status, body.error.code]).toEqual([200, 400]);
    expect(body.error.message).toContain("Idempotency-Key");
  });

  it("streamCall follows the same rules", async () => {
    const [name, value] = [fresh(), fresh()];
    await rpc("Counter_Bump", { name }, key(value));
    const { text } = await send("/opentool/streamCall", {
      method: "POST",
      headers: { "idempotency-key": value, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", method: "Counter_Bump", params: { name }, id: 1 }),
    });
    expect(text).toContain('"result":{"value":1}');
    expect(await runs(name)).toBe(1);
  });
});
