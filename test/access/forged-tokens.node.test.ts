/**
 * Tokens that must be refused. Each is sent with a call over each protocol to the built Worker, configured for both
 * kinds of tokens. An HTTP server that the tools call confirms that none of them ran.
 */
import { createHash, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTools, type Counter, type Deployment, deploy, startCounter } from "../support/node/attacks/deployment.ts";
import { type Provider, startProvider } from "../support/node/attacks/provider.ts";
import { expectAdmitted, expectRefused } from "../support/node/attacks/refused.ts";
import {
  base64url,
  ecdsa,
  eddsa,
  forge,
  hmac,
  KEYS,
  now,
  pss,
  publicJwk,
  rsa,
  SECRET,
  SIGN,
  shared,
} from "../support/node/attacks/tokens.ts";
import { bearer, send } from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";
import { cases } from "../support/tier.ts";

let fork: Fork;
let here: Deployment;
let counter: Counter;
let provider: Provider;
/** The URL where forged tokens claim that their keys are: nothing may ever fetch it. */
let trap: Provider;
const began = Date.now();
beforeAll(async () => {
  fork = await buildTools();
  [counter, provider, trap] = await Promise.all([startCounter(), startProvider(), startProvider()]);
  const settings = {
    JWT_SECRET: SECRET,
    JWT_ISSUER: provider.issuer,
    JWT_JWKS_URL: provider.jwksUrl,
    RATE_PER_MINUTE: "",
  };
  here = await deploy(fork, settings, counter);
});
afterAll(async () => {
  await here?.stop();
  for (const one of [counter, provider, trap]) one?.stop();
  fork?.remove();
});

const refused = (token: string) => expectRefused({ headers: bearer(token) }, here, counter);

/** Each row: what is wrong, and a function that makes such a token. */
type Table = readonly (readonly [what: string, token: () => string])[];

const aud = () => here.url;
/** Claims as the provider would sign them for this deployment. */
const claims = (more: object = {}) => ({ iss: provider.issuer, sub: "ada", aud: aud(), exp: now() + 900, ...more });
const signed = (more: object = {}, header: Record<string, unknown> = {}) =>
  provider.sign({ aud: aud(), ...more }, header);
/** Keys that nobody published. */
const OWN = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }),
};
const ownJwk = { ...OWN.rsa.publicKey.export({ format: "jwk" }), alg: "RS256", use: "sig" };
const none = () => Buffer.alloc(0);
const someSignature = () => Buffer.from("signature");

const rsaPublic = KEYS.RS256.publicKey;
const jwk = publicJwk("RS256");
const confused = (secret: string | Buffer) => forge({ alg: "HS256", typ: "JWT", kid: "RS256" }, claims(), hmac(secret));

const CONFUSED: Table = [
  ["the public key as PEM", () => confused(rsaPublic.export({ format: "pem", type: "spki" }))],
  [
    "the same without its last line break",
    () => confused((rsaPublic.export({ format: "pem", type: "spki" }) as string).trim()),
  ],
  ["the same in PKCS #1", () => confused(rsaPublic.export({ format: "pem", type: "pkcs1" }))],
  ["the public key as DER", () => confused(rsaPublic.export({ format: "der", type: "spki" }))],
  ["the public key as JWK", () => confused(JSON.stringify(jwk))],
  ["the modulus in base64url", () => confused(jwk.n as string)],
  ["the modulus' bytes", () => confused(Buffer.from(jwk.n as string, "base64url"))],
  ["the whole key set", () => confused(JSON.stringify({ keys: [jwk] }))],
  ["the key's id", () => confused("RS256")],
  ["an empty secret", () => confused("")],
  ["the EC public key's x", () => confused(Buffer.from(publicJwk("ES256").x as string, "base64url"))],
];

const unsigned = (alg: unknown, sign = none) =>
  forge({ ...(alg !== undefined && { alg }), typ: "JWT" }, claims(), sign);

const NONE: Table = [
  ...["none", "None", "NONE", "nOnE", "none ", "\u0000none", ""].map(
    (alg) => [`alg ${JSON.stringify(alg)}, no signature`, () => unsigned(alg)] as const,
  ),
  ...["none", "None", "NONE", ""].map(
    (alg) => [`alg ${JSON.stringify(alg)}, some signature`, () => unsigned(alg, someSignature)] as const,
  ),
  ...[undefined, null, 0, true, ["HS256"], { alg: "HS256" }].map(
    (alg) => [`alg ${JSON.stringify(alg)}`, () => unsigned(alg, someSignature)] as const,
  ),
  ["a good header, no signature (HS256)", () => forge({ alg: "HS256" }, { sub: "ada", exp: now() + 900 }, none)],
  ["a good header, no signature (RS256)", () => forge({ alg: "RS256", kid: "RS256" }, claims(), none)],
  [
    "the signature of another's token",
    () => `${signed().split(".", 2).join(".")}.${signed({ sub: "eve" }).split(".")[2]}`,
  ],
];

const as = (alg: string, kid: string, sign: (input: string) => Buffer) => () => forge({ alg, kid }, claims(), sign);
const { RS256, ES256 } = KEYS;

const ALGORITHMS: Table = [
  ["HS384 under the shared secret", () => shared({}, { alg: "HS384" }, hmac(SECRET, "sha384"))],
  ["HS512 under the shared secret", () => shared({}, { alg: "HS512" }, hmac(SECRET, "sha512"))],
  ["HS256 in name, HS512 in fact", () => shared({}, {}, hmac(SECRET, "sha512"))],
  ["hs256 in lower case", () => shared({}, { alg: "hs256" })],
  ["RS384 with the published key", as("RS384", "RS256", rsa(RS256.privateKey, "sha384"))],
  ["RS512 with the published key", as("RS512", "RS256", rsa(RS256.privateKey, "sha512"))],
  ["PS256 with the published key", as("PS256", "RS256", pss(RS256.privateKey))],
  ["RS256 in name, PS256 in fact", as("RS256", "RS256", pss(RS256.privateKey))],
  ["RS1", as("RS1", "RS256", rsa(RS256.privateKey, "sha1"))],
  ["ES384 in name", as("ES384", "ES256", ecdsa(ES256.privateKey))],
  ["ES256K in name", as("ES256K", "ES256", ecdsa(ES256.privateKey))],
  ["ES256 with a signature in DER", as("ES256", "ES256", ecdsa(ES256.privateKey, "der"))],
  ["ES256 with r and s of 0 (CVE-2022-21449)", as("ES256", "ES256", () => Buffer.alloc(64))],
  ["EdDSA with zeros", as("EdDSA", "EdDSA", () => Buffer.alloc(64))],
  ["RS256 in name, the EC key's id", as("RS256", "ES256", ecdsa(ES256.privateKey))],
  ["ES256 in name, signed with the RSA key", as("ES256", "ES256", rsa(RS256.privateKey))],
  ["a key agreement for an algorithm", as("ECDH-ES", "ES256", ecdsa(ES256.privateKey))],
  ["dir, as if it were encrypted", () => `${base64url({ alg: "dir", enc: "A256GCM" })}..AAAA.AAAA.AAAA`],
];

const raw = (header: object, payload: string, sign = hmac(SECRET)) => {
  const head = base64url(header);
  return `${head}.${payload}.${sign(`${head}.${payload}`).toString("base64url")}`;
};
const plain = () => JSON.stringify({ sub: "ada", exp: now() + 900 });

const HEADERS: Table = [
  [
    "crit names an unknown extension",
    () => shared({}, { crit: ["http://example.com/UNKNOWN"], "http://example.com/UNKNOWN": 1 }),
  ],
  ["crit names a claim", () => shared({}, { crit: ["exp"], exp: 1 })],
  ["crit is empty", () => shared({}, { crit: [] })],
  ["crit is not a list", () => shared({}, { crit: "b64", b64: true })],
  ["crit of a provider's token", () => signed({}, { crit: ["x"], x: 1 })],
  ["b64: false with crit, payload as it is", () => raw({ alg: "HS256", b64: false, crit: ["b64"] }, plain())],
  ["b64: false with crit, payload encoded", () => raw({ alg: "HS256", b64: false, crit: ["b64"] }, base64url(plain()))],
  [
    "b64: false without crit, signed over the payload as it is",
    () => {
      const head = base64url({ alg: "HS256", b64: false });
      return `${head}.${base64url(plain())}.${hmac(SECRET)(`${head}.${plain()}`).toString("base64url")}`;
    },
  ],
  ["b64: true in crit", () => raw({ alg: "HS256", b64: "false", crit: ["b64"] }, base64url(plain()))],
  ["its own key in jwk", () => forge({ alg: "RS256", jwk: ownJwk }, claims(), rsa(OWN.rsa.privateKey))],
  [
    "its own key in jwk, the published kid",
    () => forge({ alg: "RS256", kid: "RS256", jwk: ownJwk }, claims(), rsa(OWN.rsa.privateKey)),
  ],
  [
    "its own key at jku",
    () => forge({ alg: "RS256", kid: "own", jku: `${trap.issuer}/keys` }, claims(), rsa(OWN.rsa.privateKey)),
  ],
  [
    "jku next to the published kid",
    () => forge({ alg: "RS256", kid: "RS256", jku: trap.jwksUrl }, claims(), rsa(OWN.rsa.privateKey)),
  ],
  [
    "its own certificate at x5u",
    () => forge({ alg: "RS256", x5u: `${trap.issuer}/cert.pem` }, claims(), rsa(OWN.rsa.privateKey)),
  ],
  ["its own certificate in x5c", () => forge({ alg: "RS256", x5c: ["MIIB"] }, claims(), rsa(OWN.rsa.privateKey))],
  [
    "the published key's thumbprint in x5t",
    () =>
      forge(
        { alg: "RS256", x5t: createHash("sha1").update("x").digest("base64url") },
        claims(),
        rsa(OWN.rsa.privateKey),
      ),
  ],
  ...["logout+jwt", "secevent+jwt", "dpop+jwt", "JWE", "JOSE", "", "application/json", "at+jwt; x=1"].map(
    (typ) => [`typ ${JSON.stringify(typ)}`, () => shared({}, { typ })] as const,
  ),
  ...[5, ["JWT"], { typ: "JWT" }, null].map(
    (typ) => [`typ ${JSON.stringify(typ)}`, () => shared({}, { typ })] as const,
  ),
  ["typ of a provider's logout token", () => signed({}, { typ: "logout+jwt" })],
];

const KIDS: Table = [
  ...[
    "../../../../dev/null",
    "/dev/null",
    "file:///dev/null",
    "' UNION SELECT 'secret' --",
    "https://127.0.0.1/keys",
    "__proto__",
    "constructor",
    "rs256",
    "RS256 ",
  ].flatMap((kid) => [
    [
      `kid ${kid}, RS256 with a key of its own`,
      () => forge({ alg: "RS256", kid }, claims(), rsa(OWN.rsa.privateKey)),
    ] as const,
    [`kid ${kid}, HS256 with nothing for a secret`, () => forge({ alg: "HS256", kid }, claims(), hmac(""))] as const,
  ]),
  ...[1, null, ["RS256"], { kid: "RS256" }].map(
    (kid) => [`kid ${JSON.stringify(kid)}`, () => forge({ alg: "RS256", kid }, claims(), SIGN.RS256)] as const,
  ),
  [
    "the published kid, another key of its kind",
    () => forge({ alg: "ES256", kid: "ES256" }, claims(), ecdsa(OWN.ec.privateKey)),
  ],
];

const CLAIMS: Table = [
  ["exp missing", () => shared({ exp: undefined })],
  ["exp null", () => shared({ exp: null })],
  ["exp as a string", () => shared({ exp: String(now() + 900) })],
  ["exp as a date", () => shared({ exp: new Date(Date.now() + 900_000).toISOString() })],
  ["exp in a list", () => shared({ exp: [now() + 900] })],
  ["exp true", () => shared({ exp: true })],
  ["exp 0", () => shared({ exp: 0 })],
  ["exp negative", () => shared({ exp: -1 })],
  ["exp a minute ago", () => shared({ exp: now() - 60 })],
  ["exp in 2 hours (OXP: enforce a short life)", () => shared({ exp: now() + 7_200 })],
  ["exp in 3 years", () => shared({ exp: now() + 3 * 31_536_000 })],
  ["exp in milliseconds", () => shared({ exp: Date.now() + 900_000 })],
  ["exp beyond all numbers", () => raw({ alg: "HS256" }, base64url('{"sub":"ada","exp":1e400}'))],
  ["nbf in 10 minutes", () => shared({ nbf: now() + 600 })],
  ["nbf as a string", () => shared({ nbf: String(now() - 10) })],
  ["iat in 10 minutes", () => shared({ iat: now() + 600 })],
  ["iat as a string", () => shared({ iat: String(now()) })],
  ["aud of another service", () => shared({ aud: "https://elsewhere.example" })],
  ["aud of several others", () => shared({ aud: ["https://a.example", "https://b.example"] })],
  ["aud empty", () => shared({ aud: "" })],
  ["aud an empty list", () => shared({ aud: [] })],
  ["aud null", () => shared({ aud: null })],
  ["aud a number", () => shared({ aud: 1 })],
  ["aud an object", () => shared({ aud: { 0: here.url } })],
  ["aud in a list in a list", () => shared({ aud: [[here.url]] })],
  ["aud with a suffix", () => shared({ aud: `${here.url}.evil.example` })],
  ["aud of a toolkit, on the bare path", () => shared({ aud: `${here.url}/shop/mcp` })],
  ["sub empty", () => shared({ sub: "" })],
  ["sub a number", () => shared({ sub: 1 })],
  ["a payload that is a list", () => raw({ alg: "HS256" }, base64url([{ sub: "ada", exp: now() + 900 }]))],
  ["a payload that is null", () => raw({ alg: "HS256" }, base64url("null"))],
  ["a payload that is a text", () => raw({ alg: "HS256" }, base64url('"ada"'))],
  ["a payload that is not JSON", () => raw({ alg: "HS256" }, base64url("sub=ada"))],
  ["a payload that is a token (nested)", () => forge({ alg: "HS256", cty: "JWT" }, shared(), hmac(SECRET))],
  ["a header that is a list", () => forge([{ alg: "HS256" }], { exp: now() + 900 }, hmac(SECRET))],
  ["a header that is not JSON", () => forge("alg=HS256", { exp: now() + 900 }, hmac(SECRET))],
];

const PROVIDERS: Table = [
  ["iss of another", () => signed({ iss: "https://elsewhere.example" })],
  ["iss with a slash more", () => signed({ iss: `${provider.issuer}/` })],
  ["iss in upper case", () => signed({ iss: provider.issuer.toUpperCase() })],
  ["iss missing", () => signed({ iss: undefined })],
  ["iss null", () => signed({ iss: null })],
  ["iss in a list", () => signed({ iss: [provider.issuer] })],
  ["sub missing", () => signed({ sub: undefined })],
  ["sub null", () => signed({ sub: null })],
  ["exp missing", () => signed({ exp: undefined })],
  ["expired", () => signed({ exp: now() - 60 })],
  ["nbf in 10 minutes", () => signed({ nbf: now() + 600 })],
  ["iat in 10 minutes", () => signed({ iat: now() + 600 })],
  ["aud missing (MCP, Token Handling)", () => signed({ aud: undefined })],
  ["aud null", () => signed({ aud: null })],
  ["aud an empty list", () => signed({ aud: [] })],
  ["aud of the client, as in an ID token", () => signed({ aud: "client-1" })],
  ["aud of another host", () => signed({ aud: "https://elsewhere.example/mcp" })],
  ["aud with its path in upper case", () => signed({ aud: `${here.url}/MCP` })],
  ["aud without its port", () => signed({ aud: "http://127.0.0.1" })],
  ["aud of a toolkit, on the bare path", () => signed({ aud: `${here.url}/vault/mcp` })],
  ["aud of the keys' address", () => signed({ aud: provider.jwksUrl })],
  [
    "signed with the shared secret, as the provider",
    () => forge({ alg: "RS256", kid: "RS256" }, claims(), hmac(SECRET)),
  ],
  ["the shared secret's kind, signed by the provider", () => forge({ alg: "HS256" }, claims(), SIGN.RS256)],
];

/** Another letter of the same alphabet. */
const other = (letter: string) => (letter === "A" ? "B" : "A");
const bent = (token: string, part: number, at: number) => {
  const parts = token.split(".");
  const text = parts[part] ?? "";
  parts[part] = text.slice(0, at) + other(text.charAt(at)) + text.slice(at + 1);
  return parts.join(".");
};
const swapped = (part: 0 | 1, change: (value: Record<string, unknown>) => object) => {
  const parts = shared().split(".");
  parts[part] = base64url(change(JSON.parse(Buffer.from(parts[part] ?? "", "base64url").toString())));
  return parts.join(".");
};
const parts = (make: (parts: string[]) => string[]) => () => make(shared().split(".")).join(".");

const TAMPERED: Table = [
  ["more scopes", () => swapped(1, (payload) => ({ ...payload, scope: "vault:open" }))],
  ["another subject", () => swapped(1, (payload) => ({ ...payload, sub: "root" }))],
  ["a later exp", () => swapped(1, (payload) => ({ ...payload, exp: now() + 1_800 }))],
  ["another header", () => swapped(0, (header) => ({ ...header, kid: "1" }))],
  ["the header's members in another order", () => swapped(0, ({ alg, typ }) => ({ typ, alg }))],
  ["a letter of the header", () => bent(shared(), 0, 5)],
  ["a letter of the payload", () => bent(shared(), 1, 12)],
  ["the first letter of the signature", () => bent(shared(), 2, 0)],
  ["a letter in the signature's middle", () => bent(shared(), 2, 20)],
  ["a letter of an RSA signature", () => bent(signed(), 2, 100)],
  ["a letter of an EC signature", () => bent(signed({}, { alg: "ES256" }), 2, 40)],
  ["without header", parts(([, payload = "", mac = ""]) => [payload, mac])],
  ["without payload", parts(([header = "", , mac = ""]) => [header, mac])],
  ["without signature", parts(([header = "", payload = ""]) => [header, payload])],
  ["an empty header", parts(([, payload = "", mac = ""]) => ["", payload, mac])],
  ["an empty payload", parts(([header = "", , mac = ""]) => [header, "", mac])],
  ["an empty signature", parts(([header = "", payload = ""]) => [header, payload, ""])],
  ["a header cut short", parts(([header = "", payload = "", mac = ""]) => [header.slice(0, -4), payload, mac])],
  ["a payload cut short", parts(([header = "", payload = "", mac = ""]) => [header, payload.slice(0, -4), mac])],
  ["a signature cut short", parts(([header = "", payload = "", mac = ""]) => [header, payload, mac.slice(0, -4)])],
  ["a signature of one letter", parts(([header = "", payload = ""]) => [header, payload, "A"])],
  ["a fourth part", parts((all) => [...all, "AAAA"])],
  ["five parts", parts((all) => [...all, "AAAA", "AAAA"])],
  ["a trailing dot", () => `${shared()}.`],
  ["a leading dot", () => `.${shared()}`],
  ["a signature with a suffix", () => `${shared()}AAAA`],
  ["a signature with padding", () => `${shared()}=`],
  ["padding in the middle", parts(([header = "", payload = "", mac = ""]) => [header, `${payload}==`, mac])],
  ["a plus sign for base64url's dash", () => `${shared().slice(0, -6)}+/+/+/`],
  ["a comma and more", () => `${shared()},x`],
  ["a colon in front", () => `x:${shared()}`],
  ["as a sign-in's token", () => `x:y:${shared()}`],
  ["blanks in the middle", () => shared().replace(".", ". ")],
  ["a tab in the middle", () => shared().replace(".", ".\t")],
  ["percent-encoded dots", () => shared().replaceAll(".", "%2E")],
  ["full-width dots", () => shared().replaceAll(".", "．")],
  ["a zero-width space", () => shared().replace(".", ".\u200b")],
  ["in quotes", () => `"${shared()}"`],
  [
    "as JSON serialization (RFC 7515, section 7.2)",
    () => {
      const [header, payload, signature] = shared().split(".");
      return base64url({ payload, protected: header, signature });
    },
  ],
  ["a.b.c", () => "a.b.c"],
  ["three dots", () => "..."],
  ["two dots", () => ".."],
  ["eyJ.eyJ.AA", () => "eyJ.eyJ.AA"],
];

const TABLES: Readonly<Record<string, Table>> = {
  "RS256 presented as HS256 under (RFC 8725, section 2.1)": CONFUSED,
  "unsigned (RFC 8725, section 3.2)": NONE,
  "an algorithm that is not allowed, or not the one that was used (RFC 8725, section 3.1)": ALGORITHMS,
  "headers that ask for more than they get (RFC 7515, 4.1.11; RFC 7797, 6; RFC 8725, 3.10 and 3.11)": HEADERS,
  "kid as a path, a query, a name (RFC 8725, section 3.10)": KIDS,
  "claims of a token that a caller signed (RFC 7519, section 4.1; OXP, Server Authentication)": CLAIMS,
  "claims of a provider's token (RFC 8725, 3.8 and 3.9; MCP, Token Handling)": PROVIDERS,
  "a token that was good once (RFC 7515, section 5.2)": TAMPERED,
};

describe.each(Object.entries(TABLES))("%s", (_, table) => {
  it.each(table)("%s", (_, token) => refused(token()));
});

it("a token damaged in any way is a bad credential, not a server error", async () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // The same random sequence each time, so that failures can be reproduced.
  let state = 42;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const good = [() => shared({ iat: now() }), () => signed(), () => signed({}, { alg: "ES256" })];
  const before = counter.ran.length;
  const damaged = Array.from({ length: cases(60, 300) }, (_, index) => {
    const token = [...(good[index % 3]?.() ?? "")];
    // Not the last letter, whose last bits are unused; and no letter is replaced by itself.
    const at = random(token.length - 1);
    if (token[at] === ".") token[at] = "A";
    else token[at] = letters[(letters.indexOf(token[at] ?? "") + 1 + random(62)) % 64] ?? "A";
    return token.join("");
  });
  const answers = await Promise.all(damaged.map((token) => send(here.url, { path: "/tools", headers: bearer(token) })));
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([401]);
  expect(counter.ran.length).toBe(before);
});

describe("valid tokens, as a control for the tables above", () => {
  it("a token that a caller signs runs the tool (OXP, Server Authentication)", () =>
    expectAdmitted(bearer(shared()), here, counter));
  it.each([
    ["without typ", () => shared({}, { typ: undefined })],
    ["typ at+JWT (RFC 9068)", () => shared({}, { typ: "at+JWT" })],
    ["without sub", () => shared({ sub: undefined })],
    ["with the audience of this deployment", () => shared({ aud: here.url })],
    ["with this audience among others", () => shared({ aud: ["x", `${here.url}/mcp`] })],
    ["for 15 minutes", () => shared({ exp: now() + 900, iat: now(), nbf: now() })],
    ["that expired 10 seconds ago, by another clock", () => shared({ exp: now() - 10 })],
    ["whose iat is 10 seconds ahead, by another clock", () => shared({ iat: now() + 10 })],
    ["with headers that are ignored", () => shared({}, { kid: "x", x: 1, jku: `${trap.issuer}/keys` })],
  ])("so does one %s", (_, token) => expectAdmitted(bearer(token()), here, counter));

  it.each(["RS256", "ES256", "EdDSA"] as const)("a provider's token of %s", (alg) =>
    expectAdmitted(bearer(signed({}, { alg })), here, counter),
  );
  it("Ed25519 as the algorithm's name (RFC 9864)", () =>
    // The published key says `alg: EdDSA`; a provider that uses the new name would publish that.
    refused(
      forge(
        { alg: "Ed25519", kid: "EdDSA" },
        claims(),
        eddsa(createPrivateKey(KEYS.EdDSA.privateKey.export({ format: "pem", type: "pkcs8" }))),
      ),
    ));
});

it("nothing fetched keys from URLs in tokens, the provider got few requests, and no token was logged", () => {
  expect(trap.paths).toEqual([]);
  expect(provider.keyRequests).toBeGreaterThan(0);
  // For an unknown key id the Worker asks the provider again, once in 30 seconds.
  expect(provider.keyRequests).toBeLessThanOrEqual(1 + Math.floor((Date.now() - began) / 30_000));
  expect(here.entries().filter(({ level }) => level === "error")).toEqual([]);
  const log = here.lines.join("\n");
  expect(log).not.toMatch(/eyJ/);
});
