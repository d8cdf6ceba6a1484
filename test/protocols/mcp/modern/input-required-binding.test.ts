/** Answers are bound to their questions: a client cannot answer something else, nor answer twice (2026-07-28, mrtr). */
import { describe, expect, it } from "vitest";
import { EVERYTHING } from "../../../support/mcp.ts";
import { modern } from "../../../support/modern-client.ts";

const NAME = { name: { action: "accept", content: { name: "Ann" } } };
const POEM = { poem: { role: "assistant", content: { type: "text", text: "Roses" }, model: "m" } };

const calling =
  (name: string, args: object) =>
  async (more: object = {}) =>
    (await modern("tools/call", { name, arguments: args, ...more }, { capabilities: EVERYTHING })).body.result;

const keysOf = (result: { inputRequests?: object }) => Object.keys(result.inputRequests ?? {});

describe("answers that a state carries", () => {
  it("take precedence over later ones under the same key", async () => {
    const ask = calling("Talk_Ask", { what: "two rounds" });
    const { requestState } = await ask();
    const second = await ask({ requestState, inputResponses: NAME });
    const bob = { name: { action: "accept", content: { name: "Bob" } } };
    const last = await ask({ requestState: second.requestState, inputResponses: { ...bob, ...POEM } });
    expect(last.structuredContent.answers).toEqual([NAME.name, POEM.poem]);
  });

  it("are dropped if the tool now asks something else: it is asked again", async () => {
    const pay = calling("Talk_Insist", { how: "price", name: crypto.randomUUID() });
    const first = await pay();
    expect(first.inputRequests.pay.params.message).toBe("Pay 1 €?");
    const inputResponses = { pay: { action: "accept", content: { n: 1 } } };
    const second = await pay({ requestState: first.requestState, inputResponses });
    expect(second.inputRequests.pay.params.message).toBe("Pay 2 €?");
  });
});

describe("answers to questions that nobody has asked", () => {
  it("are not accepted next to one that was asked", async () => {
    const ask = calling("Talk_Ask", { what: "two rounds" });
    const { requestState } = await ask();
    expect(keysOf(await ask({ requestState, inputResponses: { ...NAME, ...POEM } }))).toEqual(["poem"]);
  });

  it("are not accepted with the state of another round", async () => {
    const ask = calling("Talk_Ask", { what: "three rounds" });
    const first = await ask();
    const second = await ask({ requestState: first.requestState, inputResponses: POEM });
    const again = await ask({ requestState: first.requestState, inputResponses: NAME });
    expect([keysOf(second), keysOf(again)]).toEqual([["name"], ["poem"]]);
  });

  it("are accepted without a state only for questions of the call itself, as the official suite does it", async () => {
    const ask = calling("Talk_Ask", { what: "two rounds" });
    expect(keysOf(await ask({ inputResponses: { ...NAME, ...POEM } }))).toEqual(["poem"]);
    expect(keysOf(await ask({ inputResponses: POEM }))).toEqual(["name"]);
  });
});
