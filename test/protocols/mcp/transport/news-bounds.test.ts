/** Limits on what one client can make the deployment store: anyone can open sessions. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readLines } from "../../../../src/core/lib/read-lines.ts";
import type { Listener } from "../../../../src/core/ports/change-feed.ts";
import type { Hub } from "../../../../src/stores/object-change-feed.ts";
import { endSession, handshake, mcp, request } from "../../../support/mcp.ts";
import { modern, modernStream } from "../../../support/modern-client.ts";

const pet = (n: number) => `talk://people/ann/pets/rex-${n}.json`;

describe("bounds of subscriptions", () => {
  it("a session has room for 100 resources, and for another when one is removed", async () => {
    const session = await handshake();
    const ask = async (verb: string, n: number) =>
      (await mcp(request(`resources/${verb}`, { uri: pet(n) }), session)).body;
    for (let n = 0; n < 100; n++) expect((await ask("subscribe", n)).result).toEqual({});
    expect((await ask("subscribe", 100)).error).toMatchObject({ code: -32602 });
    expect((await ask("unsubscribe", 7)).result).toEqual({});
    expect((await ask("subscribe", 100)).result).toEqual({});
  });

  it("an attacker's sessions leave nothing in the shared object, and each deletes its own data when it ends", async () => {
    const { HUB } = env as unknown as { HUB: DurableObjectNamespace };
    const keysOf = (name: string) =>
      runInDurableObject(HUB.getByName(name), async (_, state) => [...(await state.storage.list()).keys()]);
    // The object of an anonymous caller whose address is unknown here.
    const own = "principal anonymous ";
    const before = (await keysOf(own)).length;
    const sessions = await Promise.all(Array.from({ length: 5 }, () => handshake()));
    for (const session of sessions) {
      for (let n = 0; n < 3; n++) await mcp(request("resources/subscribe", { uri: pet(n) }), session);
    }
    expect((await keysOf("hub")).filter((key) => key !== "revision")).toEqual([]);
    expect(await keysOf(own)).toHaveLength(before + 15);
    for (const session of sessions) await endSession(session);
    expect(await keysOf(own)).toHaveLength(before);
  });

  it("a subscription names up to 100 resources", async () => {
    const resourceSubscriptions = Array.from({ length: 101 }, (_, n) => pet(n));
    const { status, body } = await modern("subscriptions/listen", { notifications: { resourceSubscriptions } });
    expect([status, body.error.code]).toEqual([400, -32602]);
  });

  it("subscriptions and sessions ignore resources with a URI of more than 500 characters", async () => {
    const start = "talk://people/ann/pets/";
    const uriOf = (length: number) => `${start}${"x".repeat(length - start.length - 5)}.json`;
    const resourceSubscriptions = [uriOf(500), uriOf(501)];
    const stream = await modernStream("subscriptions/listen", { notifications: { resourceSubscriptions } });
    const { params } = await stream.nextData();
    expect(params.notifications).toEqual({ resourceSubscriptions: [uriOf(500)] });
    await stream.close();
    const session = await handshake();
    const ask = async (uri: string) => (await mcp(request("resources/subscribe", { uri }), session)).body;
    expect((await ask(uriOf(500))).result).toEqual({});
    expect((await ask(uriOf(501))).error).toMatchObject({ code: -32002 });
  });

  it("all subscriptions of a principal name up to 1,000 resources: then 429", async () => {
    const resourceSubscriptions = Array.from({ length: 100 }, (_, n) => pet(n));
    const listen = () => modernStream("subscriptions/listen", { notifications: { resourceSubscriptions } });
    const streams = await Promise.all(Array.from({ length: 10 }, listen));
    for (const stream of streams) await stream.nextData();
    const refused = await modern("subscriptions/listen", { notifications: { resourceSubscriptions: [pet(0)] } });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, expect.any(String)]);
    await Promise.all(streams.map((stream) => stream.close()));
  });
});

describe("a caller with too many open streams that opens more", () => {
  const { HUB } = env as unknown as { HUB: DurableObjectNamespace<Hub> };
  const listener = (principal: string): Listener => ({
    principal,
    wanted: { tools: true, prompts: false, resources: false, uris: [] },
    revision: "r1",
  });
  /** How many times each stream was written to before it delivers a change. */
  const beatsOf = async (stream: ReadableStream<Uint8Array> | undefined) => {
    const lines = readLines(stream as ReadableStream<Uint8Array>);
    let beats = 0;
    for await (const line of lines) {
      if (line !== "") break;
      beats++;
    }
    lines.cancel();
    return beats;
  };

  it("causes no writes to streams of others, and few to its own", async () => {
    const hub = HUB.getByName(crypto.randomUUID());
    const quiet = await hub.listen(listener("you"));
    const own = await Promise.all(Array.from({ length: 32 }, () => hub.listen(listener("me"))));
    const begun = Date.now();
    for (let time = 0; time < 3; time++) expect(await hub.listen(listener("me"))).toBeUndefined();
    await hub.publish({ of: "tools" });
    // The heartbeat goes on, every 15 seconds.
    const heartbeats = Math.ceil((Date.now() - begun) / 15_000);
    expect(await beatsOf(quiet)).toBeLessThanOrEqual(heartbeats);
    for (const stream of own) expect(await beatsOf(stream)).toBeLessThan(20 + heartbeats);
  });

  it("gets only as many as there is room for, however many come at once", async () => {
    const hub = HUB.getByName(crypto.randomUUID());
    const streams = await Promise.all(Array.from({ length: 40 }, () => hub.listen(listener("me"))));
    const open = streams.filter((stream) => stream !== undefined);
    expect(open).toHaveLength(32);
    await Promise.all(open.map((stream) => stream.cancel()));
  });
});
