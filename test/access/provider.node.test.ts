/** Tokens of an identity provider that rotates its keys, cannot be reached, answers nonsense, and comes back. */
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildTools,
  type Counter,
  type Deployment,
  deployAll,
  startCounter,
} from "../support/node/attacks/deployment.ts";
import { type Mood, type Provider, startProvider } from "../support/node/attacks/provider.ts";
import { type Alg, hmac, KEYS, now, SECRET, shared } from "../support/node/attacks/tokens.ts";
import { type Answer, bearer, CALLS, type Sent, send, withHeaders } from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";
import { cases, isSlow } from "../support/tier.ts";

interface Place {
  readonly here: Deployment;
  readonly provider: Provider;
}

/**
 * Each test takes deployments that have never contacted their provider. One process hosts them all, made beforehand.
 */
const KINDS = {
  providerOnly: {},
  both: { JWT_SECRET: SECRET },
  open: { JWT_SECRET: SECRET, PUBLIC: "true" },
  withAudience: { JWT_SECRET: SECRET, JWT_AUDIENCE: "https://tools.example.com" },
  half: { JWT_JWKS_URL: undefined, JWT_SECRET: "short" },
  unsafe: { JWT_JWKS_URL: "http://keys.example.com/keys" },
} as const;
type Kind = keyof typeof KINDS;
/** In the fast tier, one of each kind: no answer, no JSON, no keys, keys that are of no use, another place. */
const BAD: readonly Mood[] = isSlow
  ? ["down", "html", "no json", "empty", "null", "no keys", "bad keys", "redirects"]
  : ["down", "no json", "no keys", "bad keys", "redirects"];
const NEEDED: Readonly<Record<Kind, number>> = {
  providerOnly: 14,
  both: 1,
  open: BAD.length,
  withAudience: 3,
  half: 1,
  unsafe: 1,
};

let fork: Fork;
let counter: Counter;
const providers: Provider[] = [];
let deployments: Deployment[] = [];
const places = new Map<string, Place[]>();
beforeAll(async () => {
  fork = await buildTools();
  counter = await startCounter();
  const kinds = (Object.keys(NEEDED) as Kind[]).flatMap((kind) => Array.from({ length: NEEDED[kind] }, () => kind));
  providers.push(...(await Promise.all(kinds.map(startProvider))));
  const settings = kinds.map((kind, index) => {
    const { issuer, jwksUrl } = providers[index] as Provider;
    return { JWT_ISSUER: issuer, JWT_JWKS_URL: jwksUrl, RATE_PER_MINUTE: "", ...KINDS[kind] };
  });
  deployments = await deployAll(fork, settings, counter);
  kinds.forEach((kind, index) => {
    const place = { here: deployments[index] as Deployment, provider: providers[index] as Provider };
    places.set(kind, [...(places.get(kind) ?? []), place]);
  });
});
afterAll(async () => {
  await deployments[0]?.stop();
  for (const one of [...providers, counter]) one?.stop();
  fork?.remove();
});

function fresh(kind: Kind = "providerOnly"): [Deployment, Provider] {
  const place = places.get(kind)?.pop();
  if (place === undefined) throw new Error(`no deployment of the kind ${kind} is left`);
  return [place.here, place.provider];
}

const ask = (to: Deployment, token: string, path = "/info") => send(to.url, { path, headers: bearer(token) });
const status = async (to: Deployment, token: string, path?: string) => (await ask(to, token, path)).status;
const peek = (to: Deployment, token: string) =>
  send(to.url, withHeaders(CALLS["OXP /tools/call"]?.("Vault.Peek") as Sent, bearer(token)));

describe("who a token speaks for", () => {
  it.each(["RS256", "ES256", "EdDSA"] as const)("%s, as a library signs it", async (alg: Alg) => {
    const [here, provider] = fresh();
    const sign = (sub: string, exp: string) =>
      new SignJWT({ scope: "vault:open x" })
        .setProtectedHeader({ alg, kid: alg, typ: "at+jwt" })
        .setIssuer(provider.issuer)
        .setSubject(sub)
        .setAudience(`${here.url}/mcp`)
        .setIssuedAt()
        .setExpirationTime(exp)
        .sign(KEYS[alg].privateKey);
    const who = async (token: string) => (await peek(here, token)).body.result.value;
    const ada = await who(await sign("ada", "5m"));
    expect(ada).toMatchObject({ principal: expect.stringMatching(/^jwt:[0-9a-f]{32}$/), scopes: ["vault:open", "x"] });
    // A renewed token is the same principal; another subject's is not.
    expect(await who(await sign("ada", "10m"))).toEqual(ada);
    expect((await who(await sign("eve", "5m"))).principal).not.toBe(ada.principal);
    expect(provider.keyRequests).toBe(1);
  });

  it("both kinds of token and keys at once; neither kind is accepted if it is not configured", async () => {
    const [both, provider] = fresh("both");
    const [alone, other] = fresh();
    const key = await both.makeKey();
    expect(await status(both, shared())).toBe(200);
    expect(await status(both, provider.sign({ aud: both.url }))).toBe(200);
    expect(await status(both, key.text)).toBe(200);
    expect(await status(alone, other.sign({ aud: alone.url }))).toBe(200);
    expect(await status(alone, shared())).toBe(401);
  });

  it("an incomplete configuration counts as none, and a short secret opens nothing (RFC 7518, section 3.2)", async () => {
    const [half, provider] = fresh("half");
    expect(await status(half, provider.sign({ aud: half.url }))).toBe(401);
    // Logged at the start, before such a token arrives.
    const complaint =
      "JWT_SECRET has 5 bytes and needs 32 or more: tokens signed with it are refused. Make one with: openssl";
    await expect.poll(() => half.lines.join("\n")).toContain(complaint);
    // The operator's mistake is logged once. Callers cannot fix it, and must not be able to fill the log with it.
    const begun = half.lines.length;
    for (const token of [shared(), shared({}, {}, hmac("short"))]) expect(await status(half, token)).toBe(401);
    await half.logged();
    const said = half.lines.slice(begun).join("\n");
    expect(said).toContain("JWT_SECRET is too short");
    expect(said).not.toMatch(/stack|"level":"error"/);
    const [plain, unpublished] = fresh("unsafe");
    const unsafe = unpublished.sign({ aud: plain.url });
    expect(await status(plain, unsafe)).toBe(503);
  });
});

describe("the audience (RFC 8707, section 2; RFC 8725, section 3.9; MCP, Token Handling)", () => {
  it("by default it is the endpoint's URL, of the whole server or of the toolkit", async () => {
    const [here, provider] = fresh();
    const tries = async (aud: unknown, path: string) => status(here, provider.sign({ aud }), path);
    // Canonical Server URI: with or without a trailing slash, scheme and host in any case.
    const spelled = [here.url, `${here.url}/`, `${here.url}/mcp`, `${here.url}/mcp/`, here.url.replace("http", "HTTP")];
    for (const aud of [...spelled, ["x", `${here.url}/mcp`]]) {
      expect(await tries(aud, "/info")).toBe(200);
      expect(await tries(aud, "/vault/info")).toBe(200);
    }
    for (const aud of [`${here.url}/vault`, `${here.url}/vault/mcp`]) {
      expect(await tries(aud, "/vault/info")).toBe(200);
      expect(await tries(aud, "/info")).toBe(401);
      expect(await tries(aud, "/shop/info")).toBe(401);
    }
    for (const aud of [`${here.url}/tools`, `${here.url}//mcp`, `${here.url}/MCP`, `${here.url}?x`, "mcp", "*"]) {
      expect(await tries(aud, "/info"), String(aud)).toBe(401);
    }
  });

  it("if configured, it is that and nothing else", async () => {
    const [here, provider] = fresh("withAudience");
    const tries = async (aud: unknown) => status(here, provider.sign({ aud }));
    expect(await tries("https://tools.example.com")).toBe(200);
    expect(await tries(["https://tools.example.com", "x"])).toBe(200);
    for (const aud of [here.url, `${here.url}/mcp`, "https://tools.example.com.x", "https://tools.example.com/mcp"]) {
      expect(await tries(aud)).toBe(401);
    }
    // Tokens signed with the shared secret need no audience, but if there is one it is checked, whatever is configured.
    expect(await status(here, shared())).toBe(200);
    expect(await status(here, shared({ aud: "https://tools.example.com" }))).toBe(200);
    expect(await status(here, shared({ aud: here.url }))).toBe(401);
  });
});

describe("key rotation", () => {
  it("a new key is fetched when a token first names it, and an old one is forgotten", async () => {
    const [here, provider] = fresh();
    expect(await status(here, provider.sign({ aud: here.url }))).toBe(200);
    provider.published.set("2027", "ES256");
    const rotated = () => provider.sign({ aud: here.url, jti: crypto.randomUUID() }, { alg: "ES256", kid: "2027" });
    // Unknown key ids cause one request in 30 seconds at most.
    expect(await status(here, rotated())).toBe(401);
    await here.ahead(31);
    expect(await status(here, rotated())).toBe(200);
    expect(provider.keyRequests).toBe(2);
    provider.published.delete("RS256");
    await here.ahead(31 + 601);
    expect(await status(here, provider.sign({ aud: here.url, exp: now() + 3_600 }))).toBe(401);
    expect(provider.keyRequests).toBe(3);
  });

  it("many tokens with unknown key ids cause one more request, in parallel or in sequence", async () => {
    const [here, provider] = fresh();
    expect(await status(here, provider.sign({ aud: here.url }))).toBe(200);
    const unknown = () => provider.sign({ aud: here.url }, { kid: crypto.randomUUID() });
    const flood = async () =>
      new Set(await Promise.all(Array.from({ length: cases(50, 200) }, () => status(here, unknown()))));
    expect(await flood()).toEqual(new Set([401]));
    expect(provider.keyRequests).toBe(1);
    await here.ahead(31);
    for (let i = 0; i < 20; i++) expect(await status(here, unknown())).toBe(401);
    expect(provider.keyRequests).toBe(2);
    await here.ahead(62);
    await flood();
    expect(provider.keyRequests).toBe(3);
    // Callers with known tokens are not affected.
    expect(await status(here, provider.sign({ aud: here.url }))).toBe(200);
  });

  it("many tokens that arrive at once at an isolate without keys cause one request, and all get in", async () => {
    const [here, provider] = fresh();
    provider.mood = "slow";
    const token = () => provider.sign({ aud: here.url, jti: crypto.randomUUID() });
    const statuses = await Promise.all(Array.from({ length: cases(50, 200) }, () => status(here, token())));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(provider.keyRequests).toBe(1);
  });

  it("a token may omit the key id if there is one key of its kind (RFC 7515, section 4.1.4)", async () => {
    const [here, provider] = fresh();
    expect(await status(here, provider.sign({ aud: here.url }, { kid: undefined as never }))).toBe(200);
  });
});

describe("a provider that cannot be reached opens nothing", () => {
  const protocols = ["OXP /tools/call", "MCP bare", "OpenTool call"] as const;

  it.each(BAD)("%s: 503 with Retry-After in each protocol, and not every token causes a request", async (mood) => {
    const [here, provider] = fresh("open");
    provider.mood = mood;
    const before = counter.ran.length;
    for (const protocol of protocols) {
      const call = CALLS[protocol]?.("Vault.Peek") as Sent;
      const answer: Answer = await send(here.url, withHeaders(call, bearer(provider.sign({ aud: here.url }))));
      expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
      expect(answer.body).toMatchObject(protocol.startsWith("OXP") ? { $schema: "urn:oxp:1.0" } : { jsonrpc: "2.0" });
    }
    const many = Array.from({ length: cases(20, 50) }, () =>
      status(here, provider.sign({ aud: here.url, jti: crypto.randomUUID() })),
    );
    expect(new Set(await Promise.all(many))).toEqual(new Set([503]));
    expect(counter.ran.length).toBe(before);
    expect(provider.keyRequests).toBe(1);
    // No redirect was followed.
    expect(new Set(provider.paths)).toEqual(new Set(["/keys"]));
    // Requests that need no provider still succeed; once the provider is back, so do the others.
    expect(await status(here, shared())).toBe(200);
    provider.mood = "well";
    // A readable key set is cached for half a minute, even if its keys are useless.
    await here.ahead(mood === "bad keys" ? 31 : 6);
    expect(await status(here, provider.sign({ aud: here.url }))).toBe(200);
    expect(provider.keyRequests).toBe(2);
  });

  it("one that hangs, or hangs in the middle: 503 after seconds, and not every token waits", async () => {
    const waits = (["hangs", "hangs in the middle"] as const).map(async (mood) => {
      const [here, provider] = fresh();
      provider.mood = mood;
      const token = () => provider.sign({ aud: here.url, jti: crypto.randomUUID() });
      const together = await Promise.all([status(here, token()), status(here, token()), status(here, token())]);
      expect(together).toEqual([503, 503, 503]);
      expect(await status(here, token())).toBe(503);
      // One request, or two if the machine is so slow that the pause after a failure has ended.
      expect(provider.keyRequests).toBeLessThanOrEqual(2);
    });
    await Promise.all(waits);
  });

  it("a caller that disconnects while it fetches the keys does not block others for long", async () => {
    const [here, provider] = fresh();
    provider.mood = "slow";
    const stop = new AbortController();
    const token = () => provider.sign({ aud: here.url, jti: crypto.randomUUID() });
    const headers = { authorization: `Bearer ${token()}` };
    const gone = fetch(`${here.url}/info`, { headers, signal: stop.signal }).catch(() => "gone");
    await new Promise((resume) => setTimeout(resume, 100));
    const waiting = status(here, token());
    stop.abort();
    expect(await gone).toBe("gone");
    expect([200, 503]).toContain(await waiting);
    provider.mood = "well";
    await here.ahead(7);
    expect(await status(here, token())).toBe(200);
  });

  it("one that goes down: known tokens and keys stay valid until they expire", async () => {
    const [here, provider] = fresh();
    const token = provider.sign({ aud: here.url, exp: now() + 3_000 });
    expect(await status(here, token)).toBe(200);
    provider.mood = "down";
    // Other tokens with known keys.
    expect(await status(here, provider.sign({ aud: here.url, sub: "grace" }))).toBe(200);
    // After the token's verdict (5 minutes) and the keys (10 minutes) have left the cache.
    for (const seconds of [290, 320, 610, 1_500, 2_900]) {
      await here.ahead(seconds);
      expect(await status(here, token), `after ${seconds} s`).toBe(200);
    }
    await here.ahead(3_000 + 31);
    expect(await status(here, token)).toBe(401);
    // An unknown key cannot be fetched.
    expect(await status(here, provider.sign({ aud: here.url, exp: now() + 9_000 }, { kid: "new" }))).toBe(503);
  });
});

describe("a cached token is not accepted after it expires (RFC 7519, section 4.1.4)", () => {
  it.each([
    ["signed by a caller", (_: Provider, exp: number) => shared({ exp })],
    ["of the provider", (provider: Provider, exp: number) => provider.sign({ exp, aud: "https://tools.example.com" })],
  ])("%s", async (_, sign) => {
    const [here, provider] = fresh("withAudience");
    const token = sign(provider, now() + 60);
    expect([await status(here, token), await status(here, token)]).toEqual([200, 200]);
    await here.ahead(59);
    expect(await status(here, token)).toBe(200);
    await here.ahead(60 + 31);
    expect([await status(here, token), await status(here, token)]).toEqual([401, 401]);
  });

  it("a cached verdict does not apply to another path", async () => {
    const [here, provider] = fresh();
    const token = provider.sign({ aud: `${here.url}/vault/mcp` });
    expect(await status(here, token, "/vault/info")).toBe(200);
    expect(await status(here, token, "/shop/info")).toBe(401);
    expect(await status(here, token, "/info")).toBe(401);
    expect(await status(here, `${token.slice(0, -8)}AAAAAAAA`, "/vault/info")).toBe(401);
  });
});
