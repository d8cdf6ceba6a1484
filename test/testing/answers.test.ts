/** Questions of a call under test are answered from a script; one without an answer fails the test. */
import { expect, it } from "vitest";
import { callTool } from "../../src/testing/call.ts";
import type { Answers, Options } from "../../src/testing/types.ts";

const ask = (what: string, answers?: Answers, options: Options = {}) =>
  callTool("Talk.Ask", { what }, { ...options, answers });
const numbers = (how: string, answers: Answers) =>
  callTool("Talk.Insist", { how, name: crypto.randomUUID() }, { answers });
const n = (value: number) => ({ action: "accept", content: { n: value } }) as const;

const NAME = { action: "accept", content: { name: "Ann" } } as const;
const POEM = { role: "assistant", content: { type: "text", text: "Roses" }, model: "test" } as const;
const ROOTS = { roots: [{ uri: "file:///home" }] } as const;

it.each([
  ["form", { name: NAME }, NAME],
  ["form", { name: { action: "decline" } }, { action: "decline" }],
  ["page", { page: { action: "accept" } }, { action: "accept", content: {} }],
  ["sample", { poem: POEM }, POEM],
  ["roots", { roots: ROOTS }, ROOTS.roots],
  [
    "all",
    { name: NAME, page: { action: "cancel" }, poem: POEM, roots: ROOTS },
    [NAME, { action: "cancel" }, POEM, ROOTS.roots],
  ],
  ["three rounds", { name: NAME, poem: POEM, roots: ROOTS }, [POEM, NAME, ROOTS.roots]],
] as const)("answers %s", async (what, answers, expected) => {
  expect((await ask(what, answers)).value).toEqual({ answers: expected });
});

it("answers from a function, which sees the question", async () => {
  const asked: unknown[] = [];
  const result = await ask("form", (key, question) => {
    asked.push([key, question.kind, "message" in question && question.message]);
    return NAME;
  });
  expect(result.value).toEqual({ answers: NAME });
  expect(asked).toEqual([["name", "form", "What is your name?"]]);
});

it("tells repeated questions apart by number", async () => {
  expect((await numbers("even", { n: n(1), "n#2": n(3), "n#3": n(4) })).value).toEqual({ answer: 4 });
});

it.each([
  ["form", {}, /^Talk\.Ask asked "name", and the test does not answer: What is your name\?/],
  ["form", {}, 'Answer it: { answers: { name: { action: "accept", content: { name: "…" } } } }'],
  ["page", {}, "Sign in."],
  ["two rounds", { name: NAME }, 'Answer it: { answers: { poem: { role: "assistant"'],
  ["roots", () => undefined, "the caller's roots"],
  [
    "form",
    { name: { action: "accept", content: { name: 1 } } },
    'the answer {"action":"accept","content":{"name":1}} does not fit',
  ],
] as const)("%s: a question without a fitting answer fails the test with its text", async (what, answers, words) => {
  await expect(ask(what, answers as Answers)).rejects.toThrow(words);
});

it("says that a question changed when the tool ran again", async () => {
  const answers = () => ({ action: "accept", content: { n: 1 } }) as const;
  await expect(numbers("price", answers)).rejects.toThrow(
    /asked "pay" in other words .*: Pay 2 €\?.*no time or random/,
  );
});

it("ends a tool that asks without end", async () => {
  await expect(numbers("even", () => n(1))).rejects.toThrow("asked more than 30 questions");
});

it("a caller that cannot answer is one too", async () => {
  expect((await ask("what it can", {}, { canAsk: [] })).value).toEqual({ answers: [[], "no model"] });
  expect((await ask("sample", {}, { canAsk: ["form"] })).error).toMatchObject({
    reason: "capability",
    message: "It asks: the caller's model. `canAsk` does not have sample",
  });
});

it("keeps the session while it asks: the tool runs again from its start", async () => {
  const answers = { sure: { action: "accept" } } as const;
  const { value, session } = await callTool("Talk.Draft", {}, { answers });
  expect(value).toEqual({ runs: 2, action: "accept" });
  expect((await callTool("Talk.Draft", {}, { answers, session })).value).toEqual({ runs: 4, action: "accept" });
});
