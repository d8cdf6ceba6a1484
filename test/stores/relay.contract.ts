/** The contract of relays. Every implementation must pass it. */
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

  describe(`${name} fulfils the contract of relays, for questions:`, () => {
    it("a question gets its answer, whichever comes first", async () => {
      const [relay, mine] = [open(), box()];
      await relay.open(mine, "a");
      await relay.answer(mine, "a", "for a");
      expect(await relay.take(mine, "a")).toBe("for a");
      const waiting = relay.take(mine, "b");
      await relay.open(mine, "b");
      await relay.answer(mine, "b", "for b");
      expect(await waiting).toBe("for b");
    });

    it("an answer without a question is dropped, and so is a second one", async () => {
      const [relay, mine] = [open(), box()];
      await relay.answer(mine, "a", "unasked");
      await relay.open(mine, "a");
      await relay.answer(mine, "a", "first");
      await relay.answer(mine, "a", "second");
      expect(await relay.take(mine, "a")).toBe("first");
    });

    it("an answer in another box does not count", async () => {
      const [relay, mine, yours] = [open(), box(), box()];
      await relay.open(mine, "a");
      await relay.answer(yours, "a", "not asked there");
      await relay.answer(mine, "a", "mine");
      expect(await relay.take(mine, "a")).toBe("mine");
    });

    it("a waiting question ends when the box is closed", async () => {
      const [relay, mine] = [open(), box()];
      await relay.open(mine, "a");
      const waiting = relay.take(mine, "a");
      // A round trip: after it, the box knows about the waiting question.
      await relay.open(mine, "b");
      await relay.close(mine);
      expect(await waiting).toBeUndefined();
    });
  });

  describe(`${name} fulfils the contract of relays, for running requests:`, () => {
    it("a cancelled one gets the signal, others do not", async () => {
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

    it("one that began before its cancellation gets the signal when it watches, a later one with that id does not", async () => {
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

    it("one gets the signal that its client resumes the stream, also if it watches later", async () => {
      const [relay, mine] = [open(), box()];
      const told = relay.watch(mine, running({ call: "a", stream: "s" }));
      const follower = await relay.follow(mine, "s", 0);
      expect(await told).toBe("resume");
      expect(await relay.watch(mine, running({ call: "a", stream: "s" }))).toBe("resume");
      await follower?.cancel();
    });
  });

  describe(`${name} fulfils the contract of relays, for streams:`, () => {
    it("a follower gets stored and new messages, in order, until it is done", async () => {
      const [relay, mine, yours] = [open(), box(), box()];
      expect(await relay.post(mine, "a", entries(1), false)).toBe(false);
      const follower = await relay.follow(mine, "a", 0);
      expect(await relay.post(mine, "a", entries(2), false)).toBe(true);
      expect(await relay.post(mine, "b", entries(8), false)).toBe(false);
      await relay.post(yours, "a", entries(9), false);
      await relay.post(mine, "a", entries(3), true);
      expect(await all(follower)).toEqual(lines(1, 2, 3));
    });

    it("one that is done can be read from any position, and ends after its last message", async () => {
      const [relay, mine] = [open(), box()];
      await relay.post(mine, "a", entries(1, 2, 3), true);
      expect(await all(await relay.follow(mine, "a", 0))).toEqual(lines(1, 2, 3));
      expect(await all(await relay.follow(mine, "a", 2))).toEqual(lines(3));
      expect(await relay.follow(mine, "a", 3)).toBeUndefined();
    });

    it("the latest follower replaces the previous one", async () => {
      const [relay, mine] = [open(), box()];
      await relay.post(mine, "a", entries(1), false);
      const one = await relay.follow(mine, "a", 0);
      const other = await relay.follow(mine, "a", 1);
      await relay.post(mine, "a", entries(2), true);
      expect(await all(one)).toEqual(lines(1));
      expect(await all(other)).toEqual(lines(2));
    });

    it("one continues if its client has received all stored messages", async () => {
      const [relay, mine] = [open(), box()];
      const follower = await relay.follow(mine, "a", 3);
      await relay.post(mine, "a", [], false);
      await relay.post(mine, "a", entries(4), true);
      expect(await all(follower)).toEqual(lines(4));
    });

    it("one that does not run, or an unknown position, is reported as lost", async () => {
      const [relay, mine] = [open(), box()];
      const nobody = relay.follow(mine, "never was", 0).then(all);
      await relay.post(mine, "died", entries(1), false);
      const died = relay.follow(mine, "died", 0).then(all);
      const ahead = await relay.follow(mine, "a", 9);
      await relay.post(mine, "a", entries(1), false);
      expect(await all(ahead)).toEqual([LOST]);
      expect(await nobody).toEqual([LOST]);
      expect(await died).toEqual([...lines(1), LOST]);
    });

    it("one that is too long loses its oldest messages, but keeps the last", async () => {
      const [relay, mine] = [open(), box()];
      const half = "x".repeat(MAX_KEPT_PER_STREAM / 2);
      const long = [1, 2, 3].map((at) => ({ at, text: half }));
      await relay.post(mine, "a", long, true);
      const kept = await all(await relay.follow(mine, "a", 0));
      expect(kept.map((line) => line.slice(0, 2))).toEqual(["2 ", "3 "]);
      await relay.post(mine, "b", [{ at: 1, text: `${half}${half}x` }], true);
      expect(await all(await relay.follow(mine, "b", 0))).toHaveLength(1);
    });

    it("all of a box are deleted when it is closed, and later messages are not stored", async () => {
      const [relay, mine] = [open(), box()];
      await relay.post(mine, "a", entries(1), false);
      const follower = await relay.follow(mine, "a", 0);
      await relay.close(mine);
      expect(await all(follower)).toEqual(lines(1));
      await relay.post(mine, "b", entries(1), true);
      expect(await all(await relay.follow(mine, "b", 0))).toEqual([LOST]);
    });

    it.each(["unpaired \\ud800", 'line\\n"break"', "\\u2028", "\u2028"])(
      "text is carried unchanged: %j",
      async (text) => {
        const [relay, mine] = [open(), box()];
        await relay.post(mine, text, [{ at: 1, text }], true);
        expect(await take(1, await relay.follow(mine, text, 0))).toEqual([`1 ${text}`]);
        await relay.open(mine, text);
        await relay.answer(mine, text, text);
        expect(await relay.take(mine, text)).toBe(text);
      },
    );
  });
}
