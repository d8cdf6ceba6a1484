/** Models that call what there is not, with arguments that are none and ids that are strange: each call has its answer. */
import { describe, expect, it } from "vitest";
import { geminiTools } from "../../../src/client/functions/gemini.ts";
import { openaiChatTools, openaiTools } from "../../../src/client/functions/openai.ts";
import { callerOf, told, tool } from "./caller.ts";

describe("a model that misbehaves", () => {
  it("calls what there is not", async () => {
    const caller = callerOf(1);
    const { run } = openaiTools([tool("Kit.Do@1.0.0")], caller);
    const wrong = [
      "__proto__",
      "constructor",
      "toString",
      "Kit.Do",
      "kit_do",
      "",
      7,
      null,
      undefined,
      "x".repeat(9_999),
    ];
    const outputs = await run(wrong.map((name) => ({ type: "function_call", call_id: "1", name, arguments: "{}" })));
    expect(outputs.map(({ output }) => /^Error: There is no tool named .{1,80}\. Call/.test(output))).toEqual(
      wrong.map(() => true),
    );
    expect(caller.calls).toEqual([]);
  });

  it.each(['{"a": 1', "[1]", "1", "null1", '"{}"', "undefined", "{'a': 1}", [1], 1, true])(
    "sends %j for arguments",
    async (input) => {
      const caller = callerOf(1);
      expect(await told(caller, {}, input)).toMatchObject({
        is_error: true,
        content: expect.stringContaining("JSON object"),
      });
      expect(caller.calls).toEqual([]);
    },
  );

  it.each(["", " \n", "{}", {}, null, undefined])("sends %j, which means none", async (input) => {
    const caller = callerOf(1);
    expect(await told(caller, {}, input)).not.toHaveProperty("is_error");
    expect(caller.calls).toMatchObject([{ input: {} }]);
  });

  it("sends __proto__, which is a name like others", async () => {
    const caller = callerOf(1);
    await told(caller, {}, '{"__proto__": {"admin": true}, "constructor": 1}');
    expect(JSON.stringify(caller.calls[0]?.input)).toBe('{"__proto__":{"admin":true},"constructor":1}');
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  it("sends ids that are strange, missing or the same: each call has its answer, in order", async () => {
    const { run } = openaiChatTools(
      [tool("Kit.Do@1.0.0")],
      callerOf(({ n }: { n: number }) => n),
    );
    const ids = ["1", "1", "", undefined, "__proto__"];
    const calls = ids.map((id, n) => ({ id, function: { name: "Kit_Do", arguments: `{"n":${n}}` } }));
    expect(await run({ tool_calls: [...calls, {}] })).toEqual([
      ...ids.map((id, n) => ({ role: "tool", tool_call_id: id, content: String(n) })),
      { role: "tool", tool_call_id: undefined, content: expect.stringMatching(/^Error: There is no tool/) },
    ]);
  });

  it("makes 50 calls at once: they run together, and one that fails leaves the others alone", async () => {
    let running = 0;
    let most = 0;
    const caller = callerOf(async ({ n }: { n: number }) => {
      most = Math.max(most, ++running);
      await new Promise((resume) => setTimeout(resume, 5));
      running--;
      if (n % 10 === 3) throw Object.assign(new Error("no"), { promptText: `not ${n}` });
      return { n };
    });
    const parts = Array.from({ length: 50 }, (_, n) => ({ functionCall: { name: "Kit_Do", args: { n } } }));
    const [content] = await geminiTools([tool("Kit.Do@1.0.0")], caller).run(parts);
    expect(most).toBe(50);
    const responses = content?.parts.map(({ functionResponse }) => functionResponse.response);
    expect(responses).toEqual(parts.map((_, n) => (n % 10 === 3 ? { error: `not ${n}` } : { output: { n } })));
  });
});
