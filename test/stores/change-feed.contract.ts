/** The contract of change feeds. Every implementation must pass it. */
import { describe, expect, it } from "vitest";
import type { ChangeFeed, Listener, SessionStream, Subscribed } from "../../src/core/ports/change-feed.ts";
import { all, take } from "../support/lines.ts";

const TOOLS = '{"of":"tools"}';
const news = (uri: string) => `{"of":"resource","uri":"${uri}"}`;

/** Tests a feed. `open` returns one without other listeners. */
export function changeFeedContract(name: string, open: () => ChangeFeed): void {
  const nothing = { tools: false, prompts: false, resources: false, uris: [] };
  const listener = (more: Partial<Listener> = {}): Listener => ({
    principal: "me",
    wanted: { ...nothing, tools: true },
    revision: "r1",
    ...more,
  });
  const session = (id: string, more: Partial<SessionStream> = {}): SessionStream => ({
    id,
    scopes: [],
    toolkits: undefined,
    ...more,
  });
  const resource = (uri: string, more: Partial<Subscribed> = {}): Subscribed => ({
    uri,
    toolkit: "t",
    scopes: [],
    ...more,
  });
  /** A change that everyone interested in tools receives; marks the end of a test's changes. */
  const end = (feed: ChangeFeed) => feed.publish({ of: "tools" });

  describe(`${name} fulfils the contract of change feeds:`, () => {
    it("each stream receives what it wants, and nothing else", async () => {
      const feed = open();
      const tools = await feed.listen(listener());
      const prompts = await feed.listen(listener({ wanted: { ...nothing, prompts: true } }));
      const uris = await feed.listen(listener({ principal: "you", wanted: { ...nothing, uris: ["a:1", "a:2"] } }));
      await feed.publish({ of: "prompts" });
      await feed.publish({ of: "resource", uri: "a:3" });
      await feed.publish({ of: "resource", uri: "a:2" });
      await end(feed);
      expect(await take(1, tools)).toEqual([TOOLS]);
      expect(await take(1, prompts)).toEqual(['{"of":"prompts"}']);
      expect(await take(1, uris)).toEqual([news("a:2")]);
    });

    it("of a session's streams, the newest that wants a change receives it", async () => {
      const feed = open();
      const older = await feed.listen(listener({ session: session("s") }));
      const newer = await feed.listen(listener({ session: session("s") }));
      await feed.publish({ of: "tools" });
      expect(await take(1, newer)).toEqual([TOOLS]);
      await feed.end("me", "s");
      expect(await all(older)).toEqual([]);
    });

    it("a session receives changes of resources that it subscribed to before and after its stream began", async () => {
      const feed = open();
      expect(await feed.subscribe("me", "s", resource("a:1"), true)).toBe(true);
      expect(await feed.subscribe("me", "s", resource("a:2"), true)).toBe(true);
      expect(await feed.subscribe("me", "other", resource("a:9"), true)).toBe(true);
      const stream = await feed.listen(listener({ session: session("s") }), (uri) => resource(uri));
      await feed.subscribe("me", "s", resource("a:3"), true);
      await feed.subscribe("me", "s", resource("a:2"), false);
      for (const uri of ["a:9", "a:1", "a:2", "a:3"]) await feed.publish({ of: "resource", uri });
      await end(feed);
      expect(await take(3, stream)).toEqual([news("a:1"), news("a:3"), TOOLS]);
    });

    it("changes of resources that are no longer subscribed to are not received", async () => {
      const feed = open();
      await feed.subscribe("me", "s", resource("a:1"), true);
      const stream = await feed.listen(listener({ session: session("s") }), () => undefined);
      await feed.publish({ of: "resource", uri: "a:1" });
      await end(feed);
      expect(await take(1, stream)).toEqual([TOOLS]);
    });

    it.each<[string, Partial<Subscribed>]>([
      ["whose scopes it lacks", { scopes: ["x"] }],
      ["of a toolkit that it does not see", { toolkit: "u" }],
    ])("a stream receives nothing about a resource %s", async (_, more) => {
      const feed = open();
      const seen = session("s", { scopes: ["y"], toolkits: ["t"] });
      await feed.subscribe("me", "s", resource("a:1", more), true);
      const stream = await feed.listen(listener({ session: seen }), (uri) => resource(uri, more));
      await feed.subscribe("me", "s", resource("a:2", more), true);
      for (const uri of ["a:1", "a:2"]) await feed.publish({ of: "resource", uri });
      await end(feed);
      expect(await take(1, stream)).toEqual([TOOLS]);
    });

    it("the end of a session ends its streams and subscriptions", async () => {
      const feed = open();
      const other = await feed.listen(listener({ session: session("t") }));
      await feed.subscribe("me", "s", resource("a:1"), true);
      const stream = await feed.listen(listener({ session: session("s") }), (uri) => resource(uri));
      await feed.end("me", "s");
      expect(await all(stream)).toEqual([]);
      const again = await feed.listen(listener({ session: session("s") }), (uri) => resource(uri));
      await feed.publish({ of: "resource", uri: "a:1" });
      await end(feed);
      expect(await take(1, again)).toEqual([TOOLS]);
      expect(await take(1, other)).toEqual([TOOLS]);
    });

    it("a client with an older catalog is notified at once", async () => {
      const feed = open();
      expect(await take(1, await feed.listen(listener({ knows: "r0" })))).toEqual([TOOLS]);
      const same = await feed.listen(listener({ knows: "r1", wanted: { ...nothing, tools: true, prompts: true } }));
      await feed.publish({ of: "prompts" });
      expect(await take(1, same)).toEqual(['{"of":"prompts"}']);
    });

    it("streams with an older catalog are notified when a listener with a newer one comes", async () => {
      const feed = open();
      const older = await feed.listen(listener({ wanted: { ...nothing, tools: true, resources: true } }));
      const newer = await feed.listen(
        listener({ principal: "you", revision: "r2", wanted: { ...nothing, prompts: true } }),
      );
      expect(await take(2, older)).toEqual([TOOLS, '{"of":"resources"}']);
      await newer?.cancel();
    });

    it("a principal has room for a number of streams, independent of others, and for another when one is closed", async () => {
      const feed = open();
      const streams: ReadableStream<Uint8Array>[] = [];
      for (let stream = await feed.listen(listener()); stream; stream = await feed.listen(listener())) {
        expect(streams.push(stream)).toBeLessThan(100);
      }
      const other = await feed.listen(listener({ principal: "you" }));
      expect(other).toBeDefined();
      await streams.pop()?.cancel();
      const again = await feed.listen(listener());
      expect(again).toBeDefined();
      await Promise.all([...streams, other, again].map((stream) => stream?.cancel()));
    });

    it("a session has room for a number of resources, and for another when one is unsubscribed", async () => {
      const feed = open();
      let count = 0;
      while (await feed.subscribe("me", "s", resource(`a:${count}`), true)) expect(++count).toBeLessThan(1_000);
      expect(count).toBeGreaterThan(10);
      expect(await feed.subscribe("me", "t", resource("a:0"), true)).toBe(true);
      // Subscribing again does not count.
      expect(await feed.subscribe("me", "s", resource("a:0"), true)).toBe(true);
      await feed.subscribe("me", "s", resource("a:0"), false);
      expect(await feed.subscribe("me", "s", resource("a:new"), true)).toBe(true);
    });
  });
}
