/** Which verified tokens are remembered, and tokens of keys that no test server has. */
import { exportJWK, SignJWT } from "jose";
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
])("a token %s is remembered: %o (looking it up again returns no promise)", async (_, claims, isRemembered) => {
  const token = await signed(claims);
  const found = { id: expect.stringMatching(/^jwt:/) };
  expect(await verifier.find(token, ["https://x.example"])).toMatchObject(found);
  const again = verifier.find(token, ["https://x.example"]);
  expect(again instanceof Promise).toBe(!isRemembered);
  expect(await again).toMatchObject(found);
});

it("a token of a key that is too short is refused like any bad token: the provider's other tokens are valid", async () => {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1_024, publicExponent: SMALL_PRIME };
  const { publicKey } = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = { ...(await exportJWK(publicKey)), kid: "short", alg: "RS256" };
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const ofProvider = createTokenVerifier({
    settings: { issuer: "https://login.example", jwksUrl: "https://login.example/jwks" },
    send: async () => Response.json({ keys: [jwk] }),
    now: Date.now,
    log: () => {},
    report: () => {},
  } as never);
  const forged = `${part({ alg: "RS256", kid: "short" })}.${part({ iss: "https://login.example" })}.AQ`;
  expect(await ofProvider.find(forged, [])).toEqual({ why: "token of a signing key that cannot be used" });
});

it("a token that asks for what is not known here is malformed, whatever its key", async () => {
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const token = `${part({ alg: "HS256", crit: ["x"], x: 1 })}.${part({ exp: 1e10 })}.AQ`;
  expect(await verifier.find(token, [])).toEqual({ why: "malformed token" });
});

const SMALL_PRIME = new Uint8Array([1, 0, 1]);
