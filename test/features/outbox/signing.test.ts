/** Signatures, by examples that others have published or made. Node verifies those of real deliveries in test/features/outbox. */
import { describe, expect, it } from "vitest";
import { readCallback } from "../../../src/features/outbox/read-callback.ts";
import { beeosHeaders, keyOfSecret, keyOfText, standardHeaders } from "../../../src/features/outbox/signing.ts";

const whsec = (bytes: number) => `whsec_${new Uint8Array(bytes).fill(7).toBase64()}`;
const PLAIN = "a plain secret of some 32 characters";

describe("standardHeaders", () => {
  // From the tests of the reference implementations (standard-webhooks/standard-webhooks).
  const signed = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, body: '{"test": 2432232314}' };
  const key = keyOfText("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");

  it("signs as the reference does", async () => {
    expect(await standardHeaders(signed, [key])).toEqual({
      "webhook-id": signed.id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("has a signature for each key, or none", async () => {
    const { "webhook-signature": two = "" } = await standardHeaders(signed, [key, keyOfText(PLAIN)]);
    expect(two.split(" ")).toHaveLength(2);
    expect(await standardHeaders(signed, [])).not.toHaveProperty("webhook-signature");
  });
});

it("beeosHeaders has a signature in hex for each secret, whose key is its text", async () => {
  const signed = { id: "evt_1", at: 1_700_000_000, body: '{"a":1}' };
  // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac SECRET
  const [one, two] = [
    "69a6ce9ee5975881148365a4aa7dd46cee301a45d05ac4bcc0e788f8919f2b25",
    "de404ec640abe22683c93b1e8e90860d47107696d36f26e289f45b675412cdce",
  ];
  expect(await beeosHeaders(signed, [PLAIN, whsec(24)])).toEqual({
    "x-beeos-event-id": "evt_1",
    "x-beeos-signature": `t=1700000000,v1=${one},v1=${two}`,
  });
  expect(await beeosHeaders(signed, [])).toEqual({ "x-beeos-event-id": "evt_1" });
});

it("keyOfSecret takes 24 to 64 bytes, and keyOfText takes any other text as it is", () => {
  expect([23, 24, 64, 65].map((bytes) => keyOfSecret(whsec(bytes))?.length)).toEqual([undefined, 24, 64, undefined]);
  for (const secret of ["whsec_*", PLAIN]) {
    expect(keyOfSecret(secret)).toBeUndefined();
    expect(keyOfText(secret)).toEqual(new TextEncoder().encode(secret));
  }
});

it("a callback's secret with whsec_ is refused unless receivers can decode it", () => {
  const issuesOf = (secret: string) => {
    const read = readCallback({ url: "https://example.com/", secret }, "", []);
    return "issues" in read ? read.issues.map(({ path }) => path) : [];
  };
  for (const secret of [whsec(24), whsec(64), PLAIN]) expect(issuesOf(secret)).toEqual([]);
  for (const secret of [whsec(23), whsec(65), `whsec_${"*".repeat(32)}`]) expect(issuesOf(secret)).toEqual(["secret"]);
});
