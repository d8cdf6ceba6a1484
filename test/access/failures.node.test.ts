/** Invalid credentials: how many are checked, what the log says about them, and what their sender learns. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildTools,
  COUNTS_FAILURES,
  type Counter,
  type Deployment,
  deployAll,
  type Made,
  startCounter,
} from "../support/node/attacks/deployment.ts";
import { type Provider, startProvider } from "../support/node/attacks/provider.ts";
import { expectAdmitted, expectShape, WIRES } from "../support/node/attacks/refused.ts";
import { ecdsa, forge, hmac, KEYS, now, SECRET, shared } from "../support/node/attacks/tokens.ts";
import { bearer, CALLS, type Headers, type Sent, send, withHeaders } from "../support/node/attacks/wire.ts";
import { type Fork, until } from "../support/node/fork.ts";

let fork: Fork;
let counter: Counter;
let provider: Provider;
/** One deployment with a limiter for failed credentials, and one without. */
let counting: Deployment;
let here: Deployment;
beforeAll(async () => {
  fork = await buildTools();
  [counter, provider] = await Promise.all([startCounter(), startProvider()]);
  const { issuer, jwksUrl } = provider;
  const settings = { RATE_PER_MINUTE: "", JWT_SECRET: SECRET, JWT_ISSUER: issuer, JWT_JWKS_URL: jwksUrl };
  const all = await deployAll(fork, [{ ...settings, ...COUNTS_FAILURES }, settings], counter);
  [counting, here] = all as [Deployment, Deployment];
});
afterAll(async () => {
  await counting?.stop();
  counter?.stop();
  provider?.stop();
  fork?.remove();
});

const PEEK = CALLS["OXP /tools/call"]?.("Vault.Peek") as Sent;
const wrong = (): string => `trivet_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}_${"A".repeat(43)}`;
const from = (address: string): Headers => [["CF-Connecting-IP", address]];

const FORGER = hmac("some other secret of 32 bytes and more");

describe("a client that tries invalid credentials is shut out after 60 a minute", () => {
  const THIEF = from("203.0.113.7");

  /** Tries until the answer is 429. A counter may restart in between, but 600 are more than any minute admits. */
  async function tryMany(credential: () => string, address: Headers) {
    for (let tried = 1; tried <= 600; tried++) {
      const answer = await send(counting.url, withHeaders(PEEK, [...bearer(credential()), ...address]));
      if (answer.status === 429) return { tried, answer };
      expect(answer.status).toBe(401);
    }
    return expect.unreachable("600 failed credentials, and no 429");
  }

  it("wrong keys: no other key from its address is checked then, unless known to be valid; tokens and other addresses are", async () => {
    const [mine, other] = await Promise.all([counting.makeKey(), counting.makeKey()]);
    expect((await send(counting.url, withHeaders(PEEK, [...bearer(mine.text), ...THIEF]))).status).toBe(200);
    await counting.ahead(500);
    const { tried } = await tryMany(wrong, THIEF);
    expect(tried).toBeGreaterThan(60);
    // The client's minute does not end during the rest of this test, and the valid key must be looked up again.
    await counting.ahead(40);
    const before = counter.ran.length;
    for (const wire of WIRES) {
      for (const credential of [wrong(), other.text, shared({}, {}, FORGER), "no.token.atall"]) {
        const call = CALLS[wire]?.("Vault.Peek") as Sent;
        const answer = await send(counting.url, withHeaders(call, [...bearer(credential), ...THIEF]));
        expect([wire, answer.status, answer.headers["retry-after"]]).toEqual([wire, 429, "60"]);
        expectShape(wire, answer);
      }
    }
    expect(counter.ran.length).toBe(before);
    await expectAdmitted([...bearer(mine.text), ...THIEF], counting, counter);
    // Its signature is enough: a new token of an honest caller behind the same address.
    await expectAdmitted([...bearer(shared({ sub: crypto.randomUUID() })), ...THIEF], counting, counter);
    await expectAdmitted([...bearer(other.text), ...from("203.0.113.8")], counting, counter);
    await counting.ahead(1_200);
    await expectAdmitted([...bearer(other.text), ...THIEF], counting, counter);
    await counting.ahead(0);
  });

  it.each<[string, () => string]>([
    ["forged tokens", () => shared({ sub: crypto.randomUUID() }, {}, FORGER)],
    ["texts that are not a credential", () => `x${crypto.randomUUID()}`],
  ])("%s", async (what, credential) => {
    const { tried } = await tryMany(credential, from(what === "forged tokens" ? "203.0.113.9" : "203.0.113.10"));
    expect(tried).toBeGreaterThan(60);
  });

  it("the log has a line for each credential checked, one that the client is shut out, and none for the rest", async () => {
    const address = from("2001:db8:7::1");
    const begun = counting.lines.length;
    const { tried } = await tryMany(wrong, address);
    await counting.ahead(-600);
    for (let i = 0; i < 50; i++) await send(counting.url, withHeaders(PEEK, [...bearer(wrong()), ...address]));
    await counting.ahead(0);
    await new Promise((resume) => setTimeout(resume, 200));
    const lines = counting.lines.slice(begun).filter((line) => line.startsWith("{"));
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.filter(({ reason }) => reason === "bad credential")).toHaveLength(tried - 1);
    expect(entries.filter(({ reason }) => reason === "too many bad credentials")).toHaveLength(1);
    expect(lines.join("\n")).not.toContain("2001:db8");
  });

  it("without the limiter in wrangler.toml credentials are still checked, and the log says that they are not limited", async () => {
    for (let i = 0; i < 100; i++) {
      const answer = await send(here.url, withHeaders(PEEK, [...bearer(wrong()), ...THIEF]));
      expect(answer.status).toBe(401);
    }
    await until(async () => here.lines.join("\n").includes("failed credentials are not limited"));
    expect(here.lines.filter((line) => line.includes("failed credentials are not limited"))).toHaveLength(1);
  });
});

describe("the log says what is wrong with a credential, and the answer does not", () => {
  const other = () => ecdsa(KEYS.ES256.privateKey);
  const REASONS: readonly (readonly [why: string, credential: () => string | Promise<string>])[] = [
    ["unknown or revoked key", wrong],
    ["unknown or revoked key", async () => revoked(await here.makeKey())],
    ["key with a wrong secret", async () => wrongSecret(await here.makeKey())],
    ["expired key", async () => (await here.makeKey({ expires: now() - 1 })).text],
    ["key with a wrong secret", async () => wrongSecret(await here.makeKey({ expires: now() - 1 }))],
    ["expired token", () => shared({ exp: now() - 31 })],
    ["expired token", () => provider.sign({ exp: now() - 31, aud: here.url })],
    ["token is not valid yet", () => shared({ nbf: now() + 600 })],
    ["token is not valid yet", () => shared({ iat: now() + 600 })],
    ["token is valid for more than an hour", () => shared({ exp: now() + 7_200 })],
    ["token without exp", () => shared({ exp: undefined })],
    ["token without aud", () => provider.sign()],
    ["token without sub", () => provider.sign({ sub: undefined, aud: here.url })],
    ["token with an invalid sub", () => shared({ sub: 7 })],
    ["token for another audience", () => shared({ aud: "https://elsewhere.example" })],
    ["token for another audience", () => provider.sign({ aud: "https://elsewhere.example" })],
    ["token of another issuer", () => provider.sign({ aud: here.url, iss: "https://evil.example" })],
    ["token with a wrong signature", () => shared({}, {}, hmac("some other secret of 32 bytes and more"))],
    ["token of an unknown signing key", () => provider.sign({ aud: here.url }, { kid: "nobody" })],
    ["token with an algorithm that is not allowed", () => forge({ alg: "HS512" }, {}, other())],
    ["token of an unknown type", () => shared({}, { typ: "secevent+jwt" })],
    ["malformed token", () => "e30.e30.e30"],
    ["not in the form of a key or a token", () => "hunter2"],
  ];
  const wrongSecret = ({ text }: Made) => text.replace(/.{43}$/, "A".repeat(43));
  const revoked = async (key: Made) => {
    await here.revoke(key);
    return key.text;
  };

  it.each(REASONS)("%s", async (why, credential) => {
    const text = await credential();
    const begun = here.lines.length;
    const answer = await send(here.url, withHeaders(PEEK, bearer(text)));
    const plain = await send(here.url, withHeaders(PEEK, bearer(wrong())));
    expect(answer.status).toBe(401);
    expect([answer.text, withoutDate(answer.headers)]).toEqual([plain.text, withoutDate(plain.headers)]);
    const lines = () => here.lines.slice(begun).filter((line) => line.includes('"bad credential"'));
    await until(async () => lines().length === 2);
    expect(JSON.parse(lines()[0] as string)).toMatchObject({ message: "refused", reason: "bad credential", why });
    // The log may show a key's id; nothing else of the credential.
    expect(lines()[0]).not.toContain(text.slice(-20));
  });

  it("two credentials that differ", async () => {
    const [one, two] = await Promise.all([here.makeKey(), here.makeKey()]);
    const begun = here.lines.length;
    await send(here.url, withHeaders(PEEK, [...bearer(one.text), ["OXP-API-Key", two.text]]));
    await until(async () => here.lines.slice(begun).join("\n").includes('"why":"two credentials that differ"'));
  });

  it("names the key by its id", async () => {
    const key = await here.makeKey({ expires: now() - 1 });
    const begun = here.lines.length;
    await send(here.url, withHeaders(PEEK, bearer(key.text)));
    await until(async () => here.lines.slice(begun).join("\n").includes(`"key":"${key.id}"`));
  });
});

function withoutDate({ date: _, ...headers }: Readonly<Record<string, string>>) {
  return headers;
}

describe("an expired token is accepted for another 30 s, as clocks differ", () => {
  it.each([
    ["5 s ago", 5, 200],
    ["31 s ago", 31, 401],
  ])("and no longer: %s", async (_, seconds, status) => {
    expect((await send(here.url, withHeaders(PEEK, bearer(shared({ exp: now() - seconds }))))).status).toBe(status);
  });
});

describe("a credential sent over plain http to a public host is refused, valid or not", () => {
  const ways = (text: string): readonly Headers[] => [
    bearer(text),
    [["OXP-API-Key", text]],
    [["X-Agent-API-Key", text]],
    [...bearer(text), ["OXP-API-Key", text]],
  ];
  /** Malformed ways of sending credentials, which an eavesdropper can read all the same. */
  const wrongWays = (text: string, other: string): readonly Headers[] => [
    [["Authorization", text]],
    [...bearer(other), ["OXP-API-Key", text]],
  ];

  it.each([
    ...["tools.example.com", "tools.example.com:8080", "8.8.8.8", "[2606:4700::1111]"],
    // Public IPv4 addresses embedded in IPv6: mapped, translated, 6to4, Teredo.
    ...["[::ffff:8.8.8.8]", "[::8.8.8.8]", "[64:ff9b::8.8.8.8]", "[2002:808:808::1]", "[2001:0:808:808::1]"],
  ])("%s", async (host) => {
    const [key, other] = [await here.makeKey(), await here.makeKey()];
    const before = counter.ran.length;
    for (const wire of WIRES) {
      for (const headers of [...ways(key.text), ...wrongWays(key.text, other.text), bearer(shared())]) {
        const call = withHeaders(CALLS[wire]?.("Vault.Peek") as Sent, headers);
        const answer = await send(here.url, { ...call, host });
        expect([wire, answer.status]).toEqual([wire, 403]);
        expectShape(wire, answer);
        expect(answer.text).toContain("https");
      }
    }
    expect(counter.ran.length).toBe(before);
  });

  it("and the log names the key by its id and says that it must be replaced", async () => {
    const key = await here.makeKey();
    const begun = here.lines.length;
    await send(here.url, { ...withHeaders(PEEK, bearer(key.text)), host: "tools.example.com" });
    const lines = () => here.lines.slice(begun).filter((line) => line.includes("sent over plain http"));
    await until(async () => lines().length === 1);
    expect(JSON.parse(lines()[0] as string)).toMatchObject({ level: "warning", key: key.id });
    expect(lines()[0]).not.toContain(key.text.slice(-43));
  });

  it.each([
    "localhost:8787",
    "127.0.0.1",
    "[::1]:8787",
    "trivet.localhost",
    "192.168.1.5:8787",
    "box.local",
    "[fd12:3456::1]",
    "[fe80::1]",
  ])("but not within this machine or its network: %s", async (host) => {
    const key = await here.makeKey();
    for (const headers of ways(key.text)) {
      expect((await send(here.url, { ...withHeaders(PEEK, headers), host })).status).toBe(200);
    }
  });
});
