/** `verifyWebhook` in Node, case by case, and with anything that a stranger may send. */
import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { receiveWebhook, verifyWebhook, WebhookInvalid } from "../../src/client/webhooks.ts";
import { cases } from "../support/tier.ts";
import { BODY, casesOf, gateway, NOW, outcomeOf, SECRET, standard, TEXT_SECRET } from "./cases.ts";

describe("verifyWebhook", async () => {
  it.each(await casesOf())("$outcome: $name", async (one) => {
    expect(await outcomeOf(one)).toBe(one.outcome);
  });

  it("knows what time it is", async () => {
    const now = Math.floor(Date.now() / 1_000);
    await verifyWebhook({ secret: SECRET, headers: standard(SECRET, BODY, now), body: BODY });
    const headers = standard(SECRET, BODY, now - 400);
    await expect(verifyWebhook({ secret: SECRET, headers, body: BODY })).rejects.toMatchObject({ code: "too-old" });
  });

  it("takes a secret as some senders show it, with v1, before it", async () => {
    const request = { headers: standard(), body: BODY, now: NOW * 1_000 };
    expect(await verifyWebhook({ secret: `v1,${SECRET}`, ...request })).toBeDefined();
    for (const secret of ["v1,whsec_", "V1,whsec_"]) {
      await expect(verifyWebhook({ secret, ...request })).rejects.toThrow(TypeError);
    }
  });

  it("says what to do about a body that was parsed", async () => {
    const request = { secret: SECRET, headers: standard(), body: { a: 1 } as never };
    await expect(verifyWebhook(request)).rejects.toThrow(/before|as they arrived.*express\.raw/s);
  });
});

it("receiveWebhook takes no memory for bodies that do not arrive: anyone can begin to send one", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const waiting = Array.from({ length: 400 }, () => {
    const body = new ReadableStream();
    const request = new Request("https://receiver.example/hook", {
      method: "POST",
      body,
      duplex: "half",
    } as RequestInit);
    return receiveWebhook(request, { secret: SECRET, onEvent() {} });
  });
  await new Promise((resume) => setTimeout(resume, 10));
  // Also keeps them in memory until here.
  expect(waiting).toHaveLength(400);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});

const SOME_SECRET = fc.oneof(
  fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/^whsec_/i.test(text)),
  fc.uint8Array({ minLength: 24, maxLength: 64 }).map((key) => `whsec_${btoa(String.fromCharCode(...key))}`),
);

describe("any event", () => {
  it("is verified if standardwebhooks or the document signs it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.uuid(), SOME_SECRET, fc.nat(300), async (body, id, secret, age) => {
        const isText = !secret.startsWith("whsec_");
        // It reads a plain text letter by letter, so that only ASCII has the same bytes.
        if (isText && /[^\0-\x7f]/.test(secret)) return;
        const request = { secret, body, now: (NOW + age) * 1_000 };
        const headers = standard(secret, body, NOW, id);
        expect(await verifyWebhook({ ...request, headers })).toMatchObject({ id, payload: JSON.parse(body) });
        const other = await gateway([secret], body);
        expect(await verifyWebhook({ ...request, headers: other })).toMatchObject({ payload: JSON.parse(body) });
      }),
    );
  });

  it("is refused if one letter of anything was changed", async () => {
    const all = [
      { secret: SECRET, headers: standard(), body: BODY },
      { secret: TEXT_SECRET, headers: await gateway(), body: BODY },
    ];
    const changes = fc.tuple(fc.constantFrom(...all), fc.nat(), fc.nat(), fc.constantFrom(..."0aA=,.v1é "));
    await fc.assert(
      fc.asyncProperty(changes, async ([{ secret, headers, body }, field, place, letter]) => {
        const texts = [...Object.entries(headers), ["", body]];
        const [name = "", text = ""] = texts[field % texts.length] as string[];
        const at = place % text.length;
        const changed = text.slice(0, at) + letter + text.slice(at + 1);
        // The document signs no id, and hex may be in capitals.
        const isSame = name === "X-BeeOS-Signature" && changed.toLowerCase() === text.toLowerCase();
        if (name === "X-BeeOS-Event-Id" || changed === text || isSame) return;
        const request = name ? { body, headers: { ...headers, [name]: changed } } : { body: changed, headers };
        const verified = verifyWebhook({ secret, now: NOW * 1_000, ...request });
        await expect(verified).rejects.toBeInstanceOf(WebhookInvalid);
      }),
      { numRuns: cases(100, 500) },
    );
  });

  it("is refused with a code, whatever the headers are", async () => {
    const name = fc.constantFrom("webhook-id", "webhook-timestamp", "webhook-signature", "X-BeeOS-Signature", "x");
    const value = fc.oneof(fc.string(), fc.constant(String(NOW)), fc.constant(`t=${NOW},v1=${"0".repeat(64)}`));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.oneof(value, fc.array(value))), fc.string(), async (headers, body) => {
        const verified = verifyWebhook({ secret: SECRET, now: NOW * 1_000, headers, body });
        await expect(verified).rejects.toBeInstanceOf(WebhookInvalid);
      }),
    );
  });
});

it("what it accepts, standardwebhooks accepts", async () => {
  const now = Math.floor(Date.now() / 1_000);
  const headers = standard(SECRET, BODY, now);
  const { payload } = await verifyWebhook({ secret: SECRET, headers, body: BODY });
  expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(payload);
});
