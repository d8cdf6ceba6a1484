/** The contract of session stores. Every implementation must pass it. */
import { describe, expect, it } from "vitest";
import { MAX_SESSION_CHARACTERS, SessionFull } from "../../src/core/model/session.ts";
import type { SessionStore } from "../../src/core/ports/session-store.ts";

export function sessionStoreContract(name: string, open: () => SessionStore): void {
  const fresh = () => crypto.randomUUID();

  describe(`${name} fulfils the contract of session stores:`, () => {
    it("an unchanged session is empty, and has not ended", async () => {
      const store = open();
      const id = fresh();
      expect(await store.read("me", id)).toEqual({});
      expect(await store.hasEnded("me", id)).toBe(false);
    });

    it("a change leaves the other values, and undefined deletes one", async () => {
      const store = open();
      const id = fresh();
      await store.update("me", id, { a: 1, b: [2, { c: null }] });
      await store.update("me", id, { a: undefined, d: "4" });
      expect(await store.read("me", id)).toEqual({ b: [2, { c: null }], d: "4" });
    });

    it("concurrent changes are all stored", async () => {
      const store = open();
      const id = fresh();
      const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
      await Promise.all(keys.map((key) => store.update("me", id, { [key]: key })));
      expect(Object.keys(await store.read("me", id)).sort()).toEqual(keys.sort());
    });

    it("changes are all stored, whatever a call has read before them", async () => {
      const store = open();
      const id = fresh();
      const early = await store.read("me", id);
      await store.update("me", id, { a: 1 });
      await store.update("me", id, { b: 2 }, early);
      const later = await store.read("me", id);
      await store.update("me", id, { c: 3 }, later);
      await Promise.all([1, 2, 3].map((n) => store.update("me", id, { [`d${n}`]: n }, later)));
      expect(await store.read("me", id)).toEqual({ a: 1, b: 2, c: 3, d1: 1, d2: 2, d3: 3 });
    });

    it("any string is a key, __proto__ too", async () => {
      const store = open();
      const id = fresh();
      const values = JSON.parse('{"__proto__": {"a": 1}, "": 2, "a b:c/\\u2028": 3}');
      await store.update("me", id, values);
      expect(JSON.stringify(Object.entries(await store.read("me", id)).sort())).toBe(
        JSON.stringify(Object.entries(values).sort()),
      );
    });

    it("changing a value after writing or reading it has no effect on the store", async () => {
      const store = open();
      const id = fresh();
      const list = [1];
      await store.update("me", id, { list });
      list.push(2);
      expect(await store.read("me", id)).toEqual({ list: [1] });
    });

    it("a session belongs to one principal, and is separate from the principal's others", async () => {
      const store = open();
      const [one, other] = [fresh(), fresh()];
      await store.update("key:1", one, { a: 1 });
      expect(await store.read("key:2", one)).toEqual({});
      expect(await store.read("key:1", other)).toEqual({});
      expect(await store.read("key:1", `${one}/mcp`)).toEqual({});
      await store.end("key:1", one);
      expect(await store.hasEnded("key:2", one)).toBe(false);
      expect(await store.hasEnded("key:1", other)).toBe(false);
    });

    it("a change that does not fit is refused as a whole", async () => {
      const store = open();
      const id = fresh();
      await store.update("me", id, { a: 1 });
      const tooMuch = { a: 2, b: "x".repeat(MAX_SESSION_CHARACTERS) };
      await expect(store.update("me", id, tooMuch)).rejects.toThrow(new SessionFull().message);
      expect(await store.read("me", id)).toEqual({ a: 1 });
      // To the last character: the key, two quotes, and the earlier values ("a" and 1).
      await store.update("me", id, { b: "x".repeat(MAX_SESSION_CHARACTERS - 5) });
      await expect(store.update("me", id, { c: 1 })).rejects.toThrow(new SessionFull().message);
      await store.update("me", id, { b: undefined, c: 1 });
      expect(await store.read("me", id)).toEqual({ a: 1, c: 1 });
    });

    it("a session that has ended holds nothing, and stays ended", async () => {
      const store = open();
      const id = fresh();
      await store.update("me", id, { a: 1 });
      await store.end("me", id);
      expect(await store.read("me", id)).toEqual({});
      expect(await store.hasEnded("me", id)).toBe(true);
      await store.update("me", id, { late: 1 });
      expect(await store.hasEnded("me", id)).toBe(true);
    });

    it("an unused session can end, and one can end twice", async () => {
      const store = open();
      const id = fresh();
      await store.end("me", id);
      await store.end("me", id);
      expect(await store.hasEnded("me", id)).toBe(true);
    });
  });
}
