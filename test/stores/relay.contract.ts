/** What every relay keeps to. */
import { describe, expect, it } from "vitest";
import { LOST, MAX_KEPT_PER_STREAM, type Relay } from "../../src/core/ports/relay.ts";
import { all, take } from "../support/lines.ts";

const entries = (...ats: number[]) => ats.map((at) => ({ at, text: `text ${at}` }));
const lines = (...ats: number[]) => ats.map((at) => `${at} text ${at}`);

export function relayContract(name: string, open: () => Relay): void {
  const box = () => `me/${crypto.randomUUID()}`;
  const running = (more: { call: string; since?: number; stream?: string }) => ({
    request: "7",
    stream: undefined,
    since: Date.now(),
    ...more,
  });

  describe(`${name} keeps to the contract of relays, for questions:`, () => {
    it("who asks gets the answer, whichever comes first", async () => {
      const [relay, mine] = [open(), box()];
      await relay.open(mine, "a");
      await relay.answer(mine, "a", "for a");
      expect(await relay.take(mine, "a")).toBe("for a");
      await relay.open(mine, "b");
      const waiting = relay.take(mine, "b");
      await relay.answer(mine, "b", "for b");
      expect(await waiting).toBe("for b");
    });

    it("an answer that nobody asked for is thrown away, and so is a second one", async () => {
      const [relay, mine] = [open(), box()];
      await relay.answer(mine, "a", "unasked");
      await relay.open(mine, "a");
      await relay.answer(mine, "a", "first");
      await relay.answer(mine, "a", "second");
      expect(await relay.take(mine, "a")).toBe("first");
    });

    it("an answer in another's box is none", async () => {
      const [relay, mine, yours] = [open(), box(), box()];
      await relay.open(mine, "a");
      await relay.answer(yours, "a", "not asked there");
      await relay.answer(mine, "a", "mine");
      expect(await relay.take(mine, "a")).toBe("mine");
    });

    it("who waits is let go when the box is closed", async () => {
      const [relay, mine] = [open(), box()];
      await relay.open(mine, "a");
      const waiting = relay.take(mine, "a");
      // A round trip: by then the box knows of who waits.
      await relay.open(mine, "b");
      await relay.close(mine);
      expect(await waiting).toBeUndefined();
    });
  });

  describe(`${name} keeps to the contract of relays, for running requests:`, () => {
    it("one is told that it was cancelled, others are not", async () => {
      const [relay, mine, yours] = [open(), box(), box()];
      const told = relay.watch(mine, running({ call: "a" }));
      const others = [
        relay.watch(mine, { ...running({ call: "b" }), request: "8" }),
        relay.watch(yours, running({ call: "a" })),
      ];
      await relay.cancel(mine, "7");
      expect(await told).toBe("cancelled");
      await Promise.all([relay.unwatch(mine, "b"), relay.unwatch(yours, "a")]);
      expect(await Promise.all(others)).toEqual([undefined, undefined]);
    });

    it("one that began before it was cancelled is told when it watches, a later one of that id is not", async () => {
      const [relay, mine] = [open(), box()];
      await relay.cancel(mine, "7");
      expect(await relay.watch(mine, running({ call: "a", since: Date.now() - 60_000 }))).toBe("cancelled");
      const later = relay.watch(mine, running({ call: "b", since: Date.now() + 60_000 }));
      await relay.unwatch(mine, "b");
      expect(await later).toBeUndefined();
    });

    it("all of a box are cancelled when it is closed", async () => {
      const [relay, mine] = [open(), box()];
      const told = relay.watch(mine, running({ call: "a" }));
      await relay.close(mine);
      expect(await told).toBe("cancelled");
    });

    it("one is told that its client came back for its stream, also if it begins to watch later", async () => {
      const [relay, mine] = [open(), box()];
      const told = relay.watch(mine, running({ call: "a", stream: "s" }));
      const follower = await relay.follow(mine, "s", 0);
      expect(await told).toBe("resume");
      expect(await relay.watch(mine, running({ call: "a", stream: "s" }))).toBe("resume");
      await follower?.cancel();
    });
  });

  describe(`${name} keeps to the contract of relays, for streams:`, () => {
    it("who follows gets what was left and what comes, in order, until it is done", async () => {
      const [relay, mine, yours] = [open(), box(), box()];
      await relay.post(mine, "a", entries(1), false);
      const follower = await relay.follow(mine, "a", 0);
      await relay.post(mine, "a", entries(2), false);
      await relay.post(mine, "b", entries(8), false);
      await relay.post(yours, "a", entries(9), false);
      await relay.post(mine, "a", entries(3), true);
      expect(await all(follower)).toEqual(lines(1, 2, 3));
    });

    it("one that is done is given from any position on, and nothing after its last", async () => {
      const [relay, mine] = [open(), box()];
      await relay.post(mine, "a", entries(1, 2, 3), true);
      expect(await all(await relay.follow(mine, "a", 0))).toEqual(lines(1, 2, 3));
      expect(await all(await relay.follow(mine, "a", 2))).toEqual(lines(3));
      expect(await relay.follow(mine, "a", 3)).toBeUndefined();
    });

    it("the last to come follows, whoever did before is let go", async () => {
      const [relay, mine] = [open(), box()];
      await relay.post(mine, "a", entries(1), false);
      const one = await relay.follow(mine, "a", 0);
      const other = await relay.follow(mine, "a", 1);
      await relay.post(mine, "a", entries(2), true);
      expect(await all(one)).toEqual(lines(1));
      expect(await all(other)).toEqual(lines(2));
    });

    it("one goes on whose client has heard all that was left", async () => {
      const [relay, mine] = [open(), box()];
      const follower = await relay.follow(mine, "a", 3);
      await relay.post(mine, "a", [], false);
      await relay.post(mine, "a", entries(4), true);
      expect(await all(follower)).toEqual(lines(4));
    });

    it("who follows what nobody runs, or a position that never was, is told that it is lost", async () => {
      const [relay, mine] = [open(), box()];
      const nobody = relay.follow(mine, "never was", 0).then(all);
      const ahead = await relay.follow(mine, "a", 9);
      await relay.post(mine, "a", entries(1), false);
      expect(await all(ahead)).toEqual([LOST]);
      expect(await nobody).toEqual([LOST]);
    });

    it("of one that is too long the oldest messages go, and the last stays", async () => {
      const [relay, mine] = [open(), box()];
      const half = "x".repeat(MAX_KEPT_PER_STREAM / 2);
      const long = [1, 2, 3].map((at) => ({ at, text: half }));
      await relay.post(mine, "a", long, true);
      const kept = await all(await relay.follow(mine, "a", 0));
      expect(kept.map((line) => line.slice(0, 2))).toEqual(["2 ", "3 "]);
      await relay.post(mine, "b", [{ at: 1, text: `${half}${half}x` }], true);
      expect(await all(await relay.follow(mine, "b", 0))).toHaveLength(1);
    });

    it("all of a box are gone when it is closed, and what comes later is not kept", async () => {
      const [relay, mine] = [open(), box()];
      await relay.post(mine, "a", entries(1), false);
      const follower = await relay.follow(mine, "a", 0);
      await relay.close(mine);
      expect(await all(follower)).toEqual(lines(1));
      await relay.post(mine, "b", entries(1), true);
      expect(await all(await relay.follow(mine, "b", 0))).toEqual([LOST]);
    });

    it.each(["unpaired \\ud800", 'line\\n"break"', "\\u2028"])("text is carried unchanged: %s", async (text) => {
      const [relay, mine] = [open(), box()];
      await relay.post(mine, text, [{ at: 1, text }], true);
      expect(await take(1, await relay.follow(mine, text, 0))).toEqual([`1 ${text}`]);
    });
  });
}
