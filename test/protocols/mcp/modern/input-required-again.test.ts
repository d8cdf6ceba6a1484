/** A tool that asks more than once: under one key, until an answer fits, or endlessly. */
import { describe, expect, it } from "vitest";
import { call, EVERYTHING, handshake, mcp, postMcp, streamed } from "../../../support/mcp.ts";
import { callModern, modern } from "../../../support/modern-client.ts";

const number = (n: number) => ({ action: "accept", content: { n } });

/** Answers round by round, by the key of the question. */
async function rounds(how: string, answers: Readonly<Record<string, number>>) {
  const keysByRound: string[][] = [];
  let more = {};
  for (;;) {
    const params = { name: "Talk_Insist", arguments: { how }, ...more };
    const { result } = (await modern("tools/call", params, { capabilities: EVERYTHING })).body;
    if (result.resultType === "complete") return { keysByRound, answer: result.structuredContent.answer };
    const keys = Object.keys(result.inputRequests);
    keysByRound.push(keys);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, number(answers[key] ?? Number.NaN)]));
    more = { requestState: result.requestState, inputResponses };
  }
}

describe("a question asked again under the same key counts as another question", () => {
  it("until the answer fits", async () => {
    const { keysByRound, answer } = await rounds("even", { n: 1, "n#2": 3, "n#3": 4 });
    expect([keysByRound, answer]).toEqual([[["n"], ["n#2"], ["n#3"]], 4]);
  });

  it("one after the other", async () => {
    const { keysByRound, answer } = await rounds("twice", { n: 1, "n#2": 2 });
    expect([keysByRound, answer]).toEqual([
      [["n"], ["n#2"]],
      [1, 2],
    ]);
  });

  it("concurrently", async () => {
    const { keysByRound, answer } = await rounds("twice at once", { n: 1, "n#2": 2 });
    expect([keysByRound, answer]).toEqual([[["n", "n#2"]], [1, 2]]);
  });

  it("and does not collide with a similar key of the tool", async () => {
    const { keysByRound, answer } = await rounds("beside a key of its own", { n: 1, "n#2#1": 2, "n#2": 3, "n#2#2": 4 });
    expect([keysByRound, answer]).toEqual([[["n", "n#2#1", "n#2", "n#2#2"]], [1, 2, 3, 4]]);
  });

  it("in 2025-11-25 as well", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const stream = await streamed(call("Talk_Insist", { how: "even" }), session);
    for (const n of [1, 3, 4]) {
      const { id, method } = await stream.nextData();
      expect(method).toBe("elicitation/create");
      await postMcp({ jsonrpc: "2.0", id, result: number(n) }, session);
    }
    expect((await stream.nextData()).result.structuredContent).toEqual({ answer: 4 });
  });
});

describe("a tool that asks endlessly, and ignores every error", () => {
  const stubborn = () => ({ how: "stubborn", name: crypto.randomUUID() });
  const triesOf = async (name: string) => (await callModern("Counter_Runs", { name })).body.result.structuredContent;

  it.each([
    ["2026-07-28", async (args: object) => (await callModern("Talk_Insist", args)).body.result.content[0].text],
    [
      "2025-11-25",
      async (args: object) => (await mcp(call("Talk_Insist", args), await handshake())).body.error.message,
    ],
  ])("runs into its time limit in %s, and is stopped", async (_, insist) => {
    const args = stubborn();
    expect(await insist(args)).toContain("The tool took longer than 300 ms");
    const tries = await triesOf(args.name);
    await new Promise((resume) => setTimeout(resume, 100));
    expect(await triesOf(args.name)).toBeLessThanOrEqual(tries + 1);
  });

  it("is stopped once it asks a question that was not answered", async () => {
    const args = stubborn();
    const { result } = (await callModern("Talk_Insist", args, { capabilities: EVERYTHING })).body;
    expect(Object.keys(result.inputRequests)).toEqual(["n"]);
    expect(await triesOf(args.name)).toBe(1);
  });
});
