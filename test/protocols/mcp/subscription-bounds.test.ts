/** What one client may have the deployment remember: bounded, as sessions are free. */
import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { modern } from "./modern-client.ts";
import { handshake, mcp, request } from "./support.ts";

const pet = (n: number) => `talk://people/ann/pets/rex-${n}.json`;

describe("bounds of subscriptions", () => {
  it("a session has room for 100 resources, and for another when one has gone", async () => {
    const session = await handshake();
    const ask = async (verb: string, n: number) =>
      (await mcp(request(`resources/${verb}`, { uri: pet(n) }), session)).body;
    for (let n = 0; n < 100; n++) expect((await ask("subscribe", n)).result).toEqual({});
    expect((await ask("subscribe", 100)).error).toMatchObject({ code: -32602 });
    expect((await ask("unsubscribe", 7)).result).toEqual({});
    expect((await ask("subscribe", 100)).result).toEqual({});
  });

  it("an attacker's sessions leave nothing in the object that all share, and their own with each that ends", async () => {
    const { HUB } = env as unknown as { HUB: DurableObjectNamespace };
    const keysOf = (name: string) =>
      runInDurableObject(HUB.getByName(name), async (_, state) => [...(await state.storage.list()).keys()]);
    // A stranger's own object: its address is unknown here.
    const own = "principal anonymous ";
    const before = (await keysOf(own)).length;
    const sessions = await Promise.all(Array.from({ length: 5 }, () => handshake()));
    for (const session of sessions) {
      for (let n = 0; n < 3; n++) await mcp(request("resources/subscribe", { uri: pet(n) }), session);
    }
    expect((await keysOf("hub")).filter((key) => key !== "revision")).toEqual([]);
    expect(await keysOf(own)).toHaveLength(before + 15);
    for (const headers of sessions) {
      await exports.default.fetch("http://trivet.test/mcp", { method: "DELETE", headers });
    }
    expect(await keysOf(own)).toHaveLength(before);
  });

  it("a subscription names up to 100 resources", async () => {
    const resourceSubscriptions = Array.from({ length: 101 }, (_, n) => pet(n));
    const { status, body } = await modern("subscriptions/listen", { notifications: { resourceSubscriptions } });
    expect([status, body.error.code]).toEqual([400, -32602]);
  });
});
