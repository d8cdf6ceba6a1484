/** A key whose record an isolate has read already: it is refused as soon as it expires, whoever presents it. */
import { expect, it } from "vitest";
import { keyring } from "../../src/access/keys.ts";

const ID = "0123456789abcdef";
const TEXT = `trivet_${ID}_${"A".repeat(43)}`;

it("a key that was used is refused from the second at which it expires, and so are those who signed in with it", async () => {
  let now = 1_700_000_000_000;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(TEXT))).toHex();
  const record = { name: "bot", hash, scopes: [], created: 1, expires: now / 1_000 + 10 };
  const keys = keyring({ read: async () => record }, () => now);
  const found = async () => [(await keys.find(TEXT))?.id, (await keys.findById(ID))?.id];
  expect(await found()).toEqual([`key:${ID}`, `key:${ID}`]);
  now += 9_999;
  expect(await found()).toEqual([`key:${ID}`, `key:${ID}`]);
  now += 1;
  expect(await found()).toEqual([undefined, undefined]);
  expect(keys.whyNot(TEXT)).toEqual({ why: "expired key", key: ID });
});
