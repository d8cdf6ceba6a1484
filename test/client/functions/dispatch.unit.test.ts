/** Which tools a model is offered, under which names, and what it is told of its calls. */
import { describe, expect, it } from "vitest";
import { aiSdkTools } from "../../../src/client/functions/ai-sdk.ts";
import { anthropicTools } from "../../../src/client/functions/anthropic.ts";
import { geminiTools } from "../../../src/client/functions/gemini.ts";
import { type FunctionOptions, openaiChatTools, openaiTools } from "../../../src/client/functions/openai.ts";
import type { ToolCaller, ToolDefinition } from "../../../src/client/oxp/types.ts";
import { callerOf, failing, told, tool } from "./caller.ts";

describe("tools", () => {
  const names = (definitions: readonly ToolDefinition[], options?: FunctionOptions) =>
    openaiTools(definitions, callerOf(1), options).tools.map(({ name, description }) => `${name}: ${description}`);

  it("are the latest versions, by number", () => {
    const versions = ["1.9.0", "1.10.0", "1.2.30", "0.99.99"].map((version) => tool(`Kit.Do@${version}`));
    expect(names([...versions, tool("Kit.Go@2.0.0")])).toEqual([
      "Kit_Do: Is Kit.Do@1.10.0.",
      "Kit_Go: Is Kit.Go@2.0.0.",
    ]);
  });

  it("are called in the version that the model was shown", async () => {
    const caller = callerOf(1);
    const { run } = openaiChatTools([tool("Kit.Do@1.0.0"), tool("Kit.Do@2.0.0")], caller);
    await run({ tool_calls: [{ id: "1", function: { name: "Kit_Do", arguments: "{}" } }] });
    expect(caller.calls.map(({ tool }) => tool)).toEqual(["Kit.Do@2.0.0"]);
  });

  it("can be chosen, and old versions, too", () => {
    const definitions = [tool("Kit.Do@1.0.0"), tool("Kit.Do@2.0.0"), tool("Other.Do@1.0.0")];
    expect(names(definitions, { filter: ({ version }) => version === "1.0.0" })).toEqual([
      "Kit_Do: Is Kit.Do@1.0.0.",
      "Other_Do: Is Other.Do@1.0.0.",
    ]);
    expect(names(definitions, { filter: () => false })).toEqual([]);
    expect(geminiTools(definitions, callerOf(1), { filter: () => false }).tools).toEqual([]);
  });

  it("have names that every API accepts, each its own, whichever are chosen", () => {
    const long = "x".repeat(70);
    const definitions = [
      tool("A.Bc@1.0.0", "same"),
      tool("A_B.c@1.0.0", "same"),
      tool("Kit.A@1.0.0", long),
      tool("Kit.B@1.0.0", `${long}y`),
      tool("Kit.C@1.0.0", "3d print!"),
      tool("Kit.D@1.0.0", "-d"),
      tool("Kit.E@1.0.0", ""),
      tool("Kit.F@1.0.0", "__proto__"),
    ];
    const all = names(definitions).map((text) => text.split(": ")[0]);
    expect(all).toEqual([
      "same",
      "same_2",
      "x".repeat(64),
      `${"x".repeat(62)}_2`,
      "_3d_print_",
      "_-d",
      "_",
      "__proto__",
    ]);
    const filter = ({ id }: ToolDefinition) => id.startsWith("A_B");
    expect(names(definitions, { filter })).toEqual(["same_2: Is A_B.c@1.0.0."]);
  });

  it("of the AI SDK are found by their own names only", async () => {
    const caller = callerOf(1);
    const options = { jsonSchema: (schema: unknown) => schema };
    const { tools } = aiSdkTools([tool("Kit.F@1.0.0", "__proto__"), tool("Kit.Do@1.0.0")], caller, options);
    expect(Object.keys(tools)).toEqual(["__proto__", "Kit_Do"]);
    expect(tools.constructor).toBeUndefined();
    expect(await tools.Kit_Do?.execute({}, {})).toBe(1);
  });
});

describe("a response without calls", () => {
  const definitions = [tool("Kit.Do@1.0.0")];
  it("gives nothing to append", async () => {
    const caller = callerOf(1);
    expect(await openaiTools(definitions, caller).run({ output: [{ type: "message" }] })).toEqual([]);
    expect(await openaiChatTools(definitions, caller).run({ choices: [] })).toEqual([]);
    expect(await openaiChatTools(definitions, caller).run({ choices: [{ message: { tool_calls: null } }] })).toEqual(
      [],
    );
    expect(await anthropicTools(definitions, caller).run({ content: [{ type: "text" }] })).toEqual([]);
    expect(await geminiTools(definitions, caller).run({ candidates: [] })).toEqual([]);
    expect(await geminiTools(definitions, caller).run({ candidates: [{}] })).toEqual([]);
    expect(await geminiTools(definitions, caller).run({ parts: [{}] })).toEqual([]);
    expect(caller.calls).toEqual([]);
  });
});

describe("results", () => {
  it.each([
    ["a text", "a text"],
    ["", ""],
    [15, "15"],
    [null, "null"],
    [{ a: [1] }, '{"a":[1]}'],
    [undefined, "The tool ran and returned nothing."],
  ])("%j", async (value, content) => {
    expect(await told(callerOf(value))).toEqual({ type: "tool_result", tool_use_id: "1", content });
  });

  it("keep their form where an API takes JSON", async () => {
    const response = async (value: unknown) => {
      const { run } = geminiTools([tool("Kit.Do@1.0.0")], callerOf(value));
      return (await run([{ functionCall: { id: "7", name: "Kit_Do" } }]))[0]?.parts[0]?.functionResponse;
    };
    expect(await response({ a: null })).toEqual({ id: "7", name: "Kit_Do", response: { output: { a: null } } });
    const [unnamed] = await geminiTools([tool("Kit.Do@1.0.0")], callerOf(1)).run([
      { functionCall: { name: "Kit_Do" } },
    ]);
    expect(unnamed?.parts).toStrictEqual([{ functionResponse: { name: "Kit_Do", response: { output: 1 } } }]);
    expect((await response(null))?.response).toEqual({ output: null });
    expect((await response(undefined))?.response).toEqual({ output: "The tool ran and returned nothing." });
  });

  it("are cut, not within a character, and say so", async () => {
    const cut = { content: "12😀\n… (cut: these are the first 4 of 5 characters)" };
    expect(await told(callerOf("12😀5"), { maxResultChars: 4 })).toMatchObject(cut);
    expect(await told(callerOf("12😀5"), { maxResultChars: 3 })).toMatchObject({
      content: expect.stringMatching(/^12\n…/),
    });
    expect(await told(callerOf("12😀5"), { maxResultChars: 5 })).toMatchObject({ content: "12😀5" });
    const text = String((await told(callerOf(["x".repeat(60_000)])))?.content);
    expect(text.length).toBeLessThan(50_100);
    const { run } = geminiTools([tool("Kit.Do@1.0.0")], callerOf({ a: "x".repeat(99) }), { maxResultChars: 10 });
    const [content] = await run([{ functionCall: { name: "Kit_Do", args: {} } }]);
    expect(content?.parts[0]?.functionResponse.response).toEqual({
      output: expect.stringMatching(/^\{"a":"xxxx\n… \(cut/),
    });
  });

  it("that are no JSON are errors", async () => {
    expect(await told(callerOf(1n))).toMatchObject({ is_error: true });
  });
});

describe("errors", () => {
  it("say what the client has for models, and nothing else of it", async () => {
    const error = Object.assign(new Error("at https://internal"), { promptText: "Nobody to greet\nask for a name" });
    expect(await told(failing(error))).toMatchObject({ is_error: true, content: "Nobody to greet\nask for a name" });
  });

  it.each([new TypeError("at https://internal"), "text", undefined, null, { promptText: 7 }])(
    "%j: not more than that there was one",
    async (error) => {
      const seen: unknown[] = [];
      const onError: FunctionOptions["onError"] = (thrown, call) => seen.push([thrown, call]);
      expect(await told(failing(error), { onError }, { a: 1 })).toMatchObject({
        is_error: true,
        content: expect.stringMatching(/^The tool could not be called/),
      });
      expect(seen).toEqual([[error, { tool: "Kit.Do@1.0.0", input: { a: 1 } }]]);
    },
  );

  it("are thrown to the AI SDK, which tells the model", async () => {
    const { tools } = aiSdkTools([tool("Kit.Do@1.0.0")], failing({ promptText: "No such thing" }), {
      jsonSchema: (schema: unknown) => schema,
    });
    await expect(tools.Kit_Do?.execute({}, {})).rejects.toThrow(/^No such thing$/);
    await expect(tools.Kit_Do?.execute([], {})).rejects.toThrow("JSON object");
  });
});

describe("the context", () => {
  const context = {
    secrets: [
      { id: "KEY", value: 's3cret"\n' },
      { id: "SHORT", value: "abc" },
      { id: "NUMBER", value: "12345" },
    ],
    authorization: [{ id: "google", token: "ya29.token" }],
    user_id: "ada",
  };

  it("is sent with each call", async () => {
    const caller = callerOf(1);
    await told(caller, { context });
    expect(caller.calls).toMatchObject([{ options: { context } }]);
  });

  it("does not reach the model, whatever a tool repeats of it", async () => {
    const repeats = { text: 's3cret"\n and ya29.token', user: "ada abc" };
    expect(await told(callerOf(repeats), { context })).toMatchObject({
      content: '{"text":"[redacted] and [redacted]","user":"ada abc"}',
    });
    expect(await told(callerOf('s3cret"\n'), { context })).toMatchObject({ content: "[redacted]" });
    expect(await told(callerOf(9_123_456), { context })).toMatchObject({ content: "9[redacted]6" });
    expect(await told(failing({ promptText: "wrong key ya29.token" }), { context })).toMatchObject({
      content: "wrong key [redacted]",
    });
  });
});

describe("the signal", () => {
  it("ends the calls under way, and nothing is told to the model", async () => {
    const stop = new AbortController();
    const caller: ToolCaller = {
      call: (_, __, { signal } = {}) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("ended")))),
    };
    const waiting = told(caller, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(told(callerOf(1), { signal: stop.signal })).rejects.toThrow("enough");
  });

  it("is that of the AI SDK, too", async () => {
    const caller = callerOf(1);
    const { tools } = aiSdkTools([tool("Kit.Do@1.0.0")], caller, {
      jsonSchema: (schema: unknown) => schema,
      signal: new AbortController().signal,
    });
    await expect(tools.Kit_Do?.execute({}, { abortSignal: AbortSignal.abort(new Error("stopped")) })).rejects.toThrow(
      "stopped",
    );
    expect(caller.calls).toEqual([]);
  });
});
