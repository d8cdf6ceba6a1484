/** How many values a session in an object has: each is a row, which costs. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Sessions } from "../../../src/features/session-objects/sessions.ts";

/** As plain methods: the types of RPC wrap each value of JSON, without end. */
const { CONTRACT_SESSIONS } = env as unknown as {
  CONTRACT_SESSIONS: { getByName(name: string): Pick<Sessions, "read" | "update"> };
};
const TTL_MS = 60_000;

it("has 256 values at most: one that is there may change or go, and makes room for another", async () => {
  const object = CONTRACT_SESSIONS.getByName(crypto.randomUUID());
  const value = (key: number, text: string | null = "1") => [`${key}`, text] as const;
  const values = Array.from({ length: 256 }, (_, key) => value(key));
  expect(await object.update("s", [...values, value(256)], TTL_MS)).toBe(false);
  expect(await object.read("s", TTL_MS)).toEqual({});
  expect(await object.update("s", values, TTL_MS)).toBe(true);
  expect(await object.update("s", [value(256)], TTL_MS)).toBe(false);
  expect(await object.update("s", [value(0, "2")], TTL_MS)).toBe(true);
  expect(await object.update("s", [value(0, null), value(256)], TTL_MS)).toBe(true);
  expect(Object.keys(await object.read("s", TTL_MS))).toHaveLength(256);
});
