/** What one client may have the deployment remember: bounded, as every session and stream shares one object. */
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

  it("a subscription names up to 100 resources", async () => {
    const resourceSubscriptions = Array.from({ length: 101 }, (_, n) => pet(n));
    const { status, body } = await modern("subscriptions/listen", { notifications: { resourceSubscriptions } });
    expect([status, body.error.code]).toEqual([400, -32602]);
  });
});
