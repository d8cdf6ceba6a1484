/** Which verified tokens are remembered, and tokens that no test server issues. */
import { base64url, exportJWK, SignJWT } from "jose";
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
const part = (value: object) => base64url.encode(JSON.stringify(value));
const PUBLIC_EXPONENT = new Uint8Array([1, 0, 1]);
const scopes = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`).join(" ");

it.each<[string, object, boolean]>([
  ["of 200 scopes", { scope: scopes(200) }, true],
  ["of 201 scopes", { scope: scopes(201) }, false],
  ["of 100 scopes and 101 audiences", { scope: scopes(100), aud: Array(101).fill("https://x.example") }, false],
])("a token %s is remembered: %o", async (_, claims, isRemembered) => {
  const token = await signed(claims);
  const found = { id: expect.stringMatching(/^jwt:/) };
  expect(await verifier.find(token, ["https://x.example"])).toMatchObject(found);
  // One that is remembered is not verified, so there is no promise.
  const again = verifier.find(token, ["https://x.example"]);
  expect(again instanceof Promise).toBe(!isRemembered);
  expect(await again).toMatchObject(found);
});

it("a token of an RSA key under 2048 bits is refused: it is no fault of this server", async () => {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 1_024,
    publicExponent: PUBLIC_EXPONENT,
  };
  const { publicKey } = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = { ...(await exportJWK(publicKey)), kid: "short", alg: "RS256" };
  const ofProvider = createTokenVerifier({
    settings: { issuer: "https://login.example", jwksUrl: "https://login.example/jwks" },
    send: async () => Response.json({ keys: [jwk] }),
    now: Date.now,
    log: () => {},
    defer: () => {},
    report: () => {},
  } as never);
  const forged = `${part({ alg: "RS256", kid: "short" })}.${part({ iss: "https://login.example" })}.AQ`;
  expect(await ofProvider.find(forged, [])).toEqual({ why: "token of a signing key that cannot be used" });
});

it("the fetch of the provider's keys is deferred: the request that needs them may be broken off", async () => {
  const deferred: Promise<unknown>[] = [];
  const answer = Promise.withResolvers<Response>();
  const ofProvider = createTokenVerifier({
    settings: { issuer: "https://login.example", jwksUrl: "https://login.example/jwks" },
    send: () => answer.promise,
    now: Date.now,
    log: () => {},
    defer: (work: Promise<unknown>) => deferred.push(work),
    report: () => {},
  } as never);
  void ofProvider.find(`${part({ alg: "RS256", kid: "one" })}.${part({})}.AQ`, []);
  expect(deferred).toHaveLength(1);
  let isOver = false;
  void deferred[0]?.then(() => {
    isOver = true;
  });
  await new Promise((resume) => setTimeout(resume, 5));
  expect(isOver).toBe(false);
  answer.resolve(Response.json({ keys: [{}] }));
  await deferred[0];
});

it("a token with an unknown `crit` is malformed", async () => {
  const token = `${part({ alg: "HS256", crit: ["x"], x: 1 })}.${part({ exp: 1e10 })}.AQ`;
  expect(await verifier.find(token, [])).toEqual({ why: "malformed token" });
});
