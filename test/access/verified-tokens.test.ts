/** Which verified tokens are remembered: looking one up again returns no promise, because nothing is verified. */
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import { createTokenVerifier } from "../../src/features/tokens/jwt.ts";

const SECRET = "s".repeat(32);
const verifier = createTokenVerifier({
  settings: { secret: SECRET },
  send: fetch,
  now: Date.now,
  log: () => {},
  report: () => {},
} as never);
const signed = (claims: object) =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("5m")
    .sign(new TextEncoder().encode(SECRET));
const scopes = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`).join(" ");

it.each<[string, object, boolean]>([
  ["of 200 scopes", { scope: scopes(200) }, true],
  ["of 201 scopes", { scope: scopes(201) }, false],
  ["of 100 scopes and 101 audiences", { scope: scopes(100), aud: Array(101).fill("https://x.example") }, false],
])("a token %s is remembered: %o", async (_, claims, isRemembered) => {
  const token = await signed(claims);
  const found = { id: expect.stringMatching(/^jwt:/) };
  expect(await verifier.find(token, ["https://x.example"])).toMatchObject(found);
  const again = verifier.find(token, ["https://x.example"]);
  expect(again instanceof Promise).toBe(!isRemembered);
  expect(await again).toMatchObject(found);
});
