/** `verifyWebhook` and `receiveWebhook` in workerd. */
import { describe, expect, it, vi } from "vitest";
import { receiveWebhook, type VerifiedWebhook } from "../../src/client/webhooks.ts";
import { BODY, casesOf, EVENT, gateway, ID, NOW, outcomeOf, SECRET, standard } from "./cases.ts";

describe("verifyWebhook", async () => {
  it.each(await casesOf())("$outcome: $name", async (one) => {
    expect(await outcomeOf(one)).toBe(one.outcome);
  });
});

describe("receiveWebhook", () => {
  const now = NOW * 1_000;

  async function receive(init: RequestInit, onEvent: (event: VerifiedWebhook) => unknown = () => {}) {
    const heard = vi.fn(onEvent);
    const request = new Request("https://receiver.example/hook", { method: "POST", body: BODY, ...init });
    const response = await receiveWebhook(request, { secret: SECRET, now, onEvent: heard });
    return { response, heard };
  }

  it("hands an event over, and answers 204", async () => {
    const { response, heard } = await receive({ headers: standard() });
    expect(heard).toHaveBeenCalledExactlyOnceWith({ id: ID, timestamp: new Date(now), payload: EVENT });
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it("waits for what is done with it, and answers with its response", async () => {
    const { response } = await receive({ headers: await gateway([SECRET]) }, async () => {
      await new Promise((done) => setTimeout(done, 1));
      return new Response("not any more", { status: 410 });
    });
    expect(response.status).toBe(410);
  });

  it("answers a signed challenge, and hands over none", async () => {
    const body = JSON.stringify({ type: "verification", challenge: "c-1" });
    const { response, heard } = await receive({ headers: standard(SECRET, body), body });
    expect([response.status, await response.json()]).toEqual([200, { challenge: "c-1" }]);
    expect(heard).not.toHaveBeenCalled();
  });

  it("answers no challenge that nobody signed", async () => {
    const body = JSON.stringify({ type: "verification", challenge: "c-1" });
    const { response, heard } = await receive({ headers: standard(), body });
    expect([response.status, await response.json()]).toEqual([
      401,
      { code: "wrong-signature", message: "The signature does not belong to this secret and this body" },
    ]);
    expect(heard).not.toHaveBeenCalled();
  });

  it.each([
    [401, "no-signature", {}],
    [401, "too-old", standard(SECRET, BODY, NOW - 301)],
    [401, "too-new", standard(SECRET, BODY, NOW + 301)],
    [400, "no-id", { ...standard(), "webhook-id": "" }],
    [400, "bad-timestamp", { ...standard(), "webhook-timestamp": "soon" }],
    [400, "bad-header", { ...standard(), "webhook-id": "x".repeat(5_000) }],
  ])("answers %i to %s", async (status, code, headers) => {
    const { response, heard } = await receive({ headers });
    expect([response.status, await response.json()]).toEqual([status, { code, message: expect.any(String) }]);
    expect(heard).not.toHaveBeenCalled();
  });

  it("answers 400 to a signed text that is not JSON", async () => {
    const { response } = await receive({ headers: standard(SECRET, "hello"), body: "hello" });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "not-json" }]);
  });

  it("answers 400 to a request without a body", async () => {
    const { response } = await receive({ headers: standard(SECRET, ""), body: null });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "not-json" }]);
  });

  it.each(["GET", "PUT", "DELETE"])("answers 405 to %s", async (method) => {
    const { response } = await receive({ method, headers: standard(), ...(method === "GET" && { body: null }) });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("takes 256 KiB", async () => {
    const body = JSON.stringify("x".repeat(262_142));
    const { response } = await receive({ headers: standard(SECRET, body), body });
    expect([body.length, response.status]).toEqual([262_144, 204]);
  });

  it("answers 413 to more, and reads no further", async () => {
    let pulled = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const { response } = await receive({ headers: standard(), body });
    expect([response.status, isCancelled]).toEqual([413, true]);
    expect(pulled).toBeLessThan(2 * 262_144);
  });

  it("keeps none of the pieces in which a body arrives, whose buffers may be much larger than they are", async () => {
    const bytes = new TextEncoder().encode(BODY);
    // It is used again: a piece that was kept would change.
    const buffer = new Uint8Array(65_536);
    let at = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      if (at === bytes.length) return controller.close();
      buffer[0] = bytes[at++] as number;
      controller.enqueue(buffer.subarray(0, 1));
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    expect((await receive({ headers: standard(), body })).response.status).toBe(204);
  });

  it("does not hide that the receiver failed: the sender tries again", async () => {
    const failed = receive({ headers: standard() }, () => {
      throw new Error("the database is away");
    });
    await expect(failed).rejects.toThrow("the database is away");
  });

  it("does not hide that there is no secret", async () => {
    const request = new Request("https://receiver.example/hook", { method: "POST", headers: standard(), body: BODY });
    await expect(receiveWebhook(request, { secret: undefined, onEvent() {} })).rejects.toThrow(TypeError);
  });
});
