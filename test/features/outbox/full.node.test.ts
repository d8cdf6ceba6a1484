/** What callers are told when their outbox is full (docs/limits.md, Events and messages). */
import { afterAll, beforeAll, expect, it } from "vitest";
import { post, postJson } from "../../support/node/http.ts";
import { type ServedOutbox, serveOutbox } from "../../support/node/outbox.ts";

/** Over 100 MB, when sealed. */
const EVENTS = 420;

let served: ServedOutbox;
beforeAll(async () => {
  served = await serveOutbox({
    tools: {
      "kit/fill.ts": `import * as v from "valibot";
import { defineTool } from "#tool";
import filled from "./filled.event.ts";
export default defineTool({ version: "1.0.0", description: "Fills the outbox.",
  input: v.object({ times: v.pipe(v.number(), v.description("How many events.")) }),
  async run({ times }, ctx) {
    for (let at = 0; at < times; at++) await ctx.emit(filled, { text: "x".repeat(250_000) });
    return "done";
  },
});`,
      "kit/filled.event.ts": `import * as v from "valibot";
import { defineEvent } from "#tool";
export default defineEvent({ name: "kit.filled", description: "It was filled.", payload: v.object({ text: v.string() }) });`,
    },
  });
});
afterAll(() => served?.stop());

const FULL = /^100 MB are kept of this caller's events and messages, and no more until some have expired/;

it("a tool that emits, a call with a callback, and a message to be sent again are refused, and the words say why", async () => {
  const call = (times: number, context = {}) =>
    postJson(`${served.url}/tools/call`, { request: { tool_id: "Kit.Fill", input: { times }, context } });
  // Nobody is there: the message waits for its next attempt.
  const callback = { url: "https://hooks.example.com/done" };
  await call(0, { callback });
  const { deliveries } = (await (await fetch(`${served.url}/api/v1/deliveries`)).json()) as {
    deliveries: readonly { id: string }[];
  };
  const { status, body } = await call(EVENTS);
  expect([status, body.result]).toEqual([
    200,
    expect.objectContaining({
      success: false,
      error: expect.objectContaining({ message: expect.stringMatching(FULL), can_retry: true, retry_after_ms: 60_000 }),
    }),
  ]);
  const refused = await call(0, { callback });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain("Call later, or without it");
  expect((await call(0)).body.result).toMatchObject({ success: true, value: "done" });
  const again = await post(`${served.url}/api/v1/deliveries/${deliveries[0]?.id}/redeliver`, {});
  expect([again.status, again.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await again.json()).toEqual({ message: expect.stringMatching(FULL) });
  expect((await post(`${served.url}/api/v1/deliveries/none.1/redeliver`, {})).status).toBe(404);
});
