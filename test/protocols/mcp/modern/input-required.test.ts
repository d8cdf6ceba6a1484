/**
 * Multi round-trip requests: a call that needs an answer returns its question, and the client repeats the call with the
 * answer (2026-07-28, basic/patterns/mrtr).
 */
import { describe, expect, it } from "vitest";
import { EVERYTHING } from "../../../support/mcp.ts";
import { callModern, META, modern, modernStream, type RequestOptions } from "../../../support/modern-client.ts";

const SERVER = { [`${META}serverInfo`]: { name: "trivet", version: "1.0.0" } };
const NAME = { name: { action: "accept", content: { name: "Ann" } } };
const POEM = {
  poem: { role: "assistant", content: { type: "text", text: "Roses" }, model: "m", stopReason: "endTurn" },
};
const ROOTS = { roots: { roots: [{ uri: "file:///home" }] } };
const PAGE = { page: { action: "accept" } };

/** client/elicitation, Elicitation Requests; client/sampling and client/roots, Protocol Messages. */
const FORM = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "What is your name?",
    requestedSchema: {
      type: "object",
      properties: { name: { type: "string", description: "Your name." } },
      required: ["name"],
    },
  },
};
const URL_FORM = {
  method: "elicitation/create",
  params: { mode: "url", message: "Sign in.", url: "https://pay.example.com/1" },
};
const SAMPLE = {
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text: "Write a poem." } }],
    maxTokens: 50,
    systemPrompt: "You are a poet.",
  },
};
const LIST_ROOTS = { method: "roots/list" };

/** A call of the asking tool, with answers. */
async function ask(
  what: string,
  more: Record<string, unknown> = {},
  { capabilities = EVERYTHING, ...options }: RequestOptions = {},
) {
  const params = { name: "Talk_Ask", arguments: { what }, ...more };
  return (await modern("tools/call", params, { capabilities, ...options })).body;
}

const requestsOf = ({ result }: { result: { resultType: string; inputRequests: unknown } }) => {
  expect(result.resultType).toBe("input_required");
  return result.inputRequests;
};

describe("questions (InputRequiredResult)", () => {
  it.each<[string, Record<string, unknown>]>([
    ["form", { name: FORM }],
    ["page", { page: URL_FORM }],
    ["sample", { poem: SAMPLE }],
    ["roots", { roots: LIST_ROOTS }],
    ["all", { name: FORM, page: URL_FORM, poem: SAMPLE, roots: LIST_ROOTS }],
  ])("%s", async (what, inputRequests) => {
    const { result } = await ask(what);
    expect(result).toEqual({
      resultType: "input_required",
      inputRequests,
      requestState: expect.any(String),
      _meta: SERVER,
    });
  });

  it("one field of every kind (client/elicitation, Requested Schema)", async () => {
    const { result } = (await callModern("Talk_FillIn", {}, { capabilities: EVERYTHING })).body;
    const choices = [
      { const: "#f00", title: "Red" },
      { const: "#00f", title: "Blue" },
    ];
    expect(result.inputRequests.form.params.requestedSchema).toEqual({
      type: "object",
      properties: {
        word: { type: "string", minLength: 2, maxLength: 3 },
        size: { type: "string", enum: ["S", "L"] },
        color: { type: "string", oneOf: choices, default: "#f00" },
        share: { type: "number", minimum: 0, maximum: 1 },
        age: { type: "integer", minimum: 18 },
        sure: { type: "boolean", default: false },
        days: { type: "array", items: { type: "string", enum: ["Mon", "Tue", "Wed"] }, minItems: 1, maxItems: 2 },
        hues: { type: "array", items: { anyOf: choices } },
      },
      required: ["sure"],
    });
  });

  it("of a prompt and of a resource as well (Supported Requests)", async () => {
    const prompt = await modern("prompts/get", { name: "Talk_AskFirst" }, { capabilities: EVERYTHING });
    expect(Object.keys(requestsOf(prompt.body) as object)).toEqual(["topic"]);
    const resource = await modern("resources/read", { uri: "talk://secret" }, { capabilities: EVERYTHING });
    expect(Object.keys(requestsOf(resource.body) as object)).toEqual(["sure"]);
    // server/utilities/caching: "Interim results … carry no caching hints".
    expect(resource.body.result).not.toHaveProperty("ttlMs");
  });

  it("come after earlier messages on the same stream, and never as a separate request", async () => {
    const params = { name: "Talk_Ask", arguments: { what: "after a message" } };
    const meta = { progressToken: 1, [`${META}logLevel`]: "info" };
    const stream = await modernStream("tools/call", params, { capabilities: EVERYTHING, meta });
    const messages = (await stream.rest()).map(({ data }) => data);
    expect(messages.map(({ method }) => method ?? "result")).toEqual([
      "notifications/message",
      "notifications/progress",
      "result",
    ]);
    expect(requestsOf(messages[2])).toEqual({ name: FORM });
  });
});

describe("answers (Basic Workflow)", () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ["form", NAME, { action: "accept", content: { name: "Ann" } }],
    ["page", PAGE, { action: "accept", content: {} }],
    ["sample", POEM, POEM.poem],
    ["roots", ROOTS, ROOTS.roots.roots],
    [
      "all",
      { ...NAME, ...PAGE, ...POEM, ...ROOTS },
      [{ action: "accept", content: { name: "Ann" } }, { action: "accept", content: {} }, POEM.poem, ROOTS.roots.roots],
    ],
  ])("%s reaches the tool", async (what, inputResponses, answers) => {
    const { requestState } = (await ask(what)).result;
    const { result } = await ask(what, { inputResponses, requestState }, { id: 2 });
    expect(result).toMatchObject({ resultType: "complete", structuredContent: { answers } });
  });

  it.each(["decline", "cancel"])("%s reaches the tool (client/elicitation, Response Actions)", async (action) => {
    for (const [what, key] of [
      ["form", "name"],
      ["page", "page"],
    ] as const) {
      const { result } = await ask(what, { inputResponses: { [key]: { action, content: { name: "dropped" } } } });
      expect(result.structuredContent).toEqual({ answers: { action } });
    }
  });

  it("need no state in the first request", async () => {
    const { result } = await ask("form", { inputResponses: { ...NAME, other: { action: "accept" } } });
    expect(result.structuredContent.answers.content).toEqual({ name: "Ann" });
  });

  it("come round by round: state carries the earlier ones", async () => {
    const first = await ask("three rounds");
    expect(requestsOf(first)).toEqual({ poem: SAMPLE });
    const second = await ask("three rounds", { inputResponses: POEM, requestState: first.result.requestState });
    expect(requestsOf(second)).toEqual({ name: FORM });
    expect(second.result.requestState).not.toBe(first.result.requestState);
    const third = await ask("three rounds", { inputResponses: NAME, requestState: second.result.requestState });
    expect(requestsOf(third)).toEqual({ roots: LIST_ROOTS });
    const last = await ask("three rounds", { inputResponses: ROOTS, requestState: third.result.requestState });
    expect(last.result.structuredContent.answers).toEqual([
      POEM.poem,
      { action: "accept", content: { name: "Ann" } },
      ROOTS.roots.roots,
    ]);
  });

  it("a long answer is carried as well", async () => {
    const text = "ä".repeat(200_000);
    const poem = { ...POEM.poem, content: { type: "text", text } };
    const first = await ask("three rounds", { inputResponses: { poem } });
    const { requestState } = first.result;
    const second = await ask("three rounds", { inputResponses: NAME, requestState });
    const third = await ask("three rounds", { inputResponses: ROOTS, requestState: second.result.requestState });
    expect(third.result.structuredContent.answers[0].content.text).toBe(text);
  });

  it("if incomplete, get the missing questions again (Error Handling: SHOULD request the missing information again)", async () => {
    const first = await ask("all");
    const inputResponses = { ...NAME, ...POEM };
    const second = await ask("all", { inputResponses, requestState: first.result.requestState });
    expect(Object.keys(requestsOf(second) as object)).toEqual(["page", "roots"]);
    const rest = { inputResponses: { ...PAGE, ...ROOTS }, requestState: second.result.requestState };
    expect((await ask("all", rest)).result.structuredContent.answers).toHaveLength(4);
  });

  it.each([
    ["nothing", {}],
    ["answers to other questions", { other: 1 }],
    ["the state of the first round alone", undefined],
  ])("%s asks again (Error Handling)", async (_, inputResponses) => {
    const { requestState } = (await ask("form")).result;
    expect(requestsOf(await ask("form", { requestState, ...(inputResponses && { inputResponses }) }))).toEqual({
      name: FORM,
    });
  });

  it.each([
    ["a list", []],
    ["a text", "name"],
    ["a number", 1],
  ])("inputResponses of %s is an error (Error Handling: malformed)", async (_, inputResponses) => {
    expect((await ask("form", { inputResponses })).error.code).toBe(-32602);
  });

  it.each<[string, string, unknown]>([
    ["form", "no object", 12345],
    ["form", "null", null],
    ["form", "no action", { content: { name: "Ann" } }],
    ["form", "an unknown action", { action: "maybe", content: { name: "Ann" } }],
    ["form", "no content", { action: "accept" }],
    ["form", "content that is not an object", { action: "accept", content: ["Ann"] }],
    ["form", "content without what is required", { action: "accept", content: {} }],
    ["form", "content of null", { action: "accept", content: { name: null } }],
    ["form", "content of another type", { action: "accept", content: { name: 7 } }],
    ["page", "no action", {}],
    ["sample", "no role", { content: {}, model: "m" }],
    ["sample", "no content", { role: "assistant", model: "m" }],
    ["sample", "no model", { role: "assistant", content: {} }],
    ["roots", "no list", { roots: {} }],
    ["roots", "nothing", {}],
  ])("to a %s, %s asks again", async (what, _, answer) => {
    const key = { form: "name", page: "page", sample: "poem", roots: "roots" }[what] as string;
    expect(Object.keys(requestsOf(await ask(what, { inputResponses: { [key]: answer } })) as object)).toEqual([key]);
  });

  it("are not inherited members of objects", async () => {
    const inputResponses = JSON.parse('{"__proto__":{"name":{"action":"accept","content":{"name":"x"}}}}');
    expect(requestsOf(await ask("form", { inputResponses }))).toEqual({ name: FORM });
    expect(({} as { name?: unknown }).name).toBeUndefined();
  });

  it("continue a prompt and a resource", async () => {
    const topic = { action: "accept", content: { topic: "tea" } };
    const params = { name: "Talk_AskFirst", inputResponses: { topic } };
    const prompt = await modern("prompts/get", params, { capabilities: EVERYTHING });
    expect(prompt.body.result.messages[0].content.text).toContain("tea");
    const read = { uri: "talk://secret", inputResponses: { sure: { action: "decline" } } };
    const resource = await modern("resources/read", read, { capabilities: EVERYTHING });
    expect(resource.body.result.contents[0].text).toBe("The user said decline.");
  });

  it("are never needed for listings (Supported Requests)", async () => {
    const more = { inputResponses: NAME, requestState: "whatever" };
    for (const method of ["tools/list", "prompts/list", "resources/list", "server/discover"]) {
      expect((await modern(method, more, { capabilities: EVERYTHING })).body.result.resultType).toBe("complete");
    }
  });
});

describe("answers to a form (client/elicitation, Requested Schema)", () => {
  const fill = async (content: unknown) => {
    const inputResponses = { form: { action: "accept", content } };
    const params = { name: "Talk_FillIn", inputResponses };
    return (await modern("tools/call", params, { capabilities: EVERYTHING })).body.result;
  };

  it("reach the tool without members that it did not ask for", async () => {
    const content = {
      word: "abc",
      size: "S",
      color: "#00f",
      share: 0.5,
      age: 18,
      sure: true,
      days: ["Mon"],
      hues: ["#f00", "#00f"],
    };
    expect((await fill({ ...content, other: 1 })).structuredContent).toEqual({ action: "accept", content });
    expect((await fill({ sure: false, word: null })).structuredContent.content).toEqual({ sure: false });
  });

  it("count characters, not code units (JSON Schema, maxLength)", async () => {
    expect((await fill({ sure: true, word: "😀😀😀" })).resultType).toBe("complete");
    expect((await fill({ sure: true, word: "😀" })).resultType).toBe("input_required");
  });

  it.each([
    ["too short", { word: "a" }],
    ["too long", { word: "abcd" }],
    ["no choice", { size: "M" }],
    ["a title for its value", { color: "Red" }],
    ["a text for a number", { share: "0.5" }],
    ["too little", { share: -0.1 }],
    ["too much", { share: 1.1 }],
    ["a fraction for an integer", { age: 18.5 }],
    ["too young", { age: 17 }],
    ["a text for a boolean", { sure: "true" }],
    ["no list", { days: "Mon" }],
    ["too few", { days: [] }],
    ["too many", { days: ["Mon", "Tue", "Wed"] }],
    ["no choice in a list", { days: ["Sun"] }],
    ["a title in a list", { hues: ["Red"] }],
  ])("%s: asks again", async (_, content) => {
    expect((await fill({ sure: true, ...content })).resultType).toBe("input_required");
  });
});
