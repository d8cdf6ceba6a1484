/** Pages whose URLs have an id (`ctx.elicit` with a function as `url`): which id, and when the tool goes on. */
import { describe, expect, it, vi } from "vitest";
import { callTool } from "../../../src/testing/call.ts";
import { BOTH, call, EVERYTHING, handshake, mcp, postMcp, streamed } from "../../support/mcp.ts";
import { modern } from "../../support/modern-client.ts";
import { call as callOxp } from "../../support/oxp.ts";
import { streamOf } from "../../support/sse.ts";

const ACCEPT = { action: "accept" };
/** Only ends a test that hangs, in milliseconds. */
const PATIENCE = 60_000;

/** A round of 2026-07-28, with answers to the questions of the round before. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
async function round(how: string, before?: any, answer: object = ACCEPT, headers: Record<string, string> = {}) {
  const more = before && {
    requestState: before.requestState,
    inputResponses: Object.fromEntries(Object.keys(before.inputRequests).map((name) => [name, answer])),
  };
  const params = { name: "Talk_Pay", arguments: { how }, ...more };
  return (await modern("tools/call", params, { capabilities: EVERYTHING, headers })).body.result;
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
const pagesOf = ({ inputRequests }: any) =>
  Object.values(inputRequests)
    // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
    .map(({ params }: any) => params)
    .filter(({ mode }) => mode === "url");
const idIn = (url: string) => new URL(url).searchParams.get("id") ?? "";
const finish = (id: string) => mcp(call("Talk_FinishPage", { id }));

/** Lets that many milliseconds pass with each second, for the Worker, which runs in this isolate. */
async function hurried<Value>(work: () => Promise<Value>, ms = 31_000): Promise<Value> {
  vi.useFakeTimers({ toFake: ["Date"] });
  const clock = setInterval(() => vi.setSystemTime(Date.now() + ms), 1_000);
  try {
    return await work();
  } finally {
    clearInterval(clock);
    vi.useRealTimers();
  }
}

describe("the id of a page", () => {
  it("is the same in all rounds of a call, and the tool gets it with the answer", async () => {
    const first = await round("in sequence");
    const [one] = pagesOf(first);
    expect(one.url).toMatch(/^https:\/\/pay\.example\.com\/\?id=[\w-]{43}$/);
    expect(Object.keys(one)).toEqual(["mode", "message", "url"]);
    const second = await round("in sequence", first);
    const [two] = pagesOf(second);
    // Of another question with the same key.
    expect(two.url).not.toBe(one.url);
    const last = await round("in sequence", second);
    expect(last.structuredContent.answers).toEqual([
      { action: "accept", content: { id: idIn(one.url) } },
      { action: "accept", content: { id: idIn(two.url) } },
    ]);
  });

  it("is another one in another call, also of the same caller with the same input", async () => {
    const ids = (await Promise.all([round("at once"), round("at once")])).map((asked) => pagesOf(asked)[0].url);
    expect(new Set(ids).size).toBe(2);
  });

  it("is the same if a call with the same idempotency key begins again", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const [one, again] = [
      await round("at once", undefined, ACCEPT, key),
      await round("at once", undefined, ACCEPT, key),
    ];
    expect(pagesOf(again)).toEqual(pagesOf(one));
    const other = await round("at once", undefined, ACCEPT, { "idempotency-key": crypto.randomUUID() });
    expect(pagesOf(other)).not.toEqual(pagesOf(one));
    // A repeat under another key is still the same call.
    const { structuredContent } = await round("at once", one, ACCEPT, { "idempotency-key": crypto.randomUUID() });
    expect(structuredContent.answers).toEqual([{ action: "accept", content: { id: idIn(pagesOf(one)[0].url) } }]);
  });

  it("is another one for another input, also with the same idempotency key: what was paid for one is not for the other", async () => {
    const key = { "idempotency-key": crypto.randomUUID() };
    const [once, twice] = [
      await round("at once", undefined, ACCEPT, key),
      await round("in sequence", undefined, ACCEPT, key),
    ];
    expect(pagesOf(twice)[0].url).not.toBe(pagesOf(once)[0].url);
  });

  it("is not the client's to choose", async () => {
    const first = await round("at once");
    const inputResponses = { "\u0000seed": { action: "accept" }, pay: ACCEPT };
    const params = { name: "Talk_Pay", arguments: { how: "at once" }, inputResponses };
    const [forged, again] = await Promise.all(
      [1, 2].map(async () => (await modern("tools/call", params, { capabilities: EVERYTHING })).body.result),
    );
    expect(forged.structuredContent.answers).not.toEqual(again.structuredContent.answers);
    expect(forged.structuredContent.answers[0].content.id).not.toBe(idIn(pagesOf(first)[0].url));
  });

  it("is distinct for pages that are asked for at once, and all questions come in one round", async () => {
    const asked = await round("three at once");
    expect(Object.keys(asked.inputRequests).toSorted()).toEqual(["name", "pay", "pay#2"]);
    const messages = ["pay", "pay#2"].map((name) => asked.inputRequests[name].params.message);
    expect(messages).toEqual(["Pay for one.", "Pay for two."]);
    const ids = pagesOf(asked).map(({ url }) => idIn(url));
    const { structuredContent } = await round("three at once", asked);
    const got = structuredContent.answers.slice(0, 2).map(({ content }: { content: { id: string } }) => content.id);
    expect(new Set(got)).toEqual(new Set(ids));
    expect(new Set(got).size).toBe(2);
  });

  it("is the elicitation's in 2025-11-25", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const stream = await streamed(call("Talk_Pay", { how: "at once" }), session);
    const { id, params } = await stream.nextData();
    expect(params.elicitationId).toBe(idIn(params.url));
    await postMcp({ jsonrpc: "2.0", id, result: ACCEPT }, session);
    const { answers } = (await stream.nextData()).result.structuredContent;
    expect(answers).toEqual([{ action: "accept", content: { id: params.elicitationId } }]);
  });

  it("is not made for a caller that cannot send its user anywhere", async () => {
    const { body } = await callOxp("Talk.Pay", { how: "at once" });
    expect(body).toMatchObject({ message: expect.stringContaining("Pay for it.") });
    expect(JSON.stringify(body)).not.toContain("pay.example.com");
  });

  it("is the same in all rounds of a test of the tool", async () => {
    const { value } = await callTool("Talk.Pay", { how: "in sequence" }, { answers: () => ({ action: "accept" }) });
    const { answers } = value as { answers: { content: { id: string } }[] };
    expect(new Set(answers.map(({ content }) => content.id)).size).toBe(2);
  });
});

describe("until the user is done", () => {
  it("a call of an earlier revision waits, and tells its client (Completion Notifications)", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const stream = await streamed(call("Talk_Pay", { how: "when done" }), session);
    const { id, params } = await stream.nextData();
    await postMcp({ jsonrpc: "2.0", id, result: ACCEPT }, session);
    expect(await stream.isSilent(300)).toBe(true);
    await finish(params.elicitationId);
    expect(await stream.nextData()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/elicitation/complete",
      params: { elicitationId: params.elicitationId },
    });
    const { answers } = (await stream.nextData()).result.structuredContent;
    expect(answers).toEqual([{ action: "accept", content: { id: params.elicitationId } }]);
  });

  it("a call of 2026-07-28 waits for a while, and then asks again for the same page", async () => {
    const first = await round("when done");
    const again = await hurried(() => round("when done", first));
    expect(Object.keys(again.inputRequests)).toEqual(["pay#2"]);
    expect(pagesOf(again)).toEqual(pagesOf(first));
    const id = idIn(pagesOf(first)[0].url);
    await finish(id);
    const { structuredContent } = await round("when done", again);
    expect(structuredContent.answers).toEqual([{ action: "accept", content: { id } }]);
  });

  it("a call that waits sees it soon, and the wait does not count towards its time limit", {
    timeout: PATIENCE,
  }, async () => {
    const first = await round("when done");
    const soon = round("when done", first);
    // The limit of the tool is four seconds.
    await new Promise((resume) => setTimeout(resume, 5_000));
    await finish(idIn(pagesOf(first)[0].url));
    expect((await soon).structuredContent.answers[0].action).toBe("accept");
  });

  it("has an id for a page with an address of its own", async () => {
    const first = await round("when done, on a page of its own");
    expect(pagesOf(first)).toEqual([{ mode: "url", message: "Pay.", url: "https://pay.example.com/" }]);
    const again = await hurried(() => round("when done, on a page of its own", first));
    expect(pagesOf(again)).toEqual(pagesOf(first));
  });

  it.each(["decline", "cancel"])("does not wait if the user answers %s", async (action) => {
    const { structuredContent } = await round("when done", await round("when done"), { action });
    expect(structuredContent.answers).toEqual([{ action }]);
  });

  it("32 calls of a principal wait in sessions: a further one counts as not answered", {
    timeout: PATIENCE,
  }, async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const wait = async () => {
      const response = await postMcp(call("Talk_Pay", { how: "when done" }), { ...BOTH, ...session });
      if (response.headers.get("content-type") === "application/json") return { last: response.json() };
      const stream = streamOf(response);
      const { id, params } = await stream.nextData();
      await postMcp({ jsonrpc: "2.0", id, result: ACCEPT }, session);
      return { page: params.elicitationId, last: stream.nextData(), stream };
    };
    const waiting = [];
    for (let at = 0; at < 32; at++) waiting.push(await wait());
    // If the 32nd does not wait yet, this one is asked first, and fails afterwards.
    const { isError, content } = (await (await wait()).last).result;
    expect([isError, content[0].text]).toEqual([true, "Too many calls of this caller wait for their users"]);
    for (const { page } of waiting) await finish(page);
    for (const { last, stream } of waiting) {
      expect((await last).method).toBe("notifications/elicitation/complete");
      expect((await stream?.nextData())?.result.isError).toBeUndefined();
    }
  });

  it("fails a call of an earlier revision after ten minutes", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const stream = await streamed(call("Talk_Pay", { how: "when done" }), session);
    const { id } = await stream.nextData();
    const failed = async () => {
      await postMcp({ jsonrpc: "2.0", id, result: ACCEPT }, session);
      return (await stream.nextData()).result;
    };
    const { isError, content } = await hurried(failed, 300_000);
    expect([isError, content[0].text]).toEqual([true, "The user was not done with the page in time"]);
  });
});
