/** What is open without a credential: on a deployment as it ships, on a public one, and with `npm start`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildTools,
  type Counter,
  type Deployment,
  deployAll,
  type Made,
  startCounter,
} from "../support/node/attacks/deployment.ts";
import { type Provider, startProvider } from "../support/node/attacks/provider.ts";
import { expectShape } from "../support/node/attacks/refused.ts";
import { SECRET, shared } from "../support/node/attacks/tokens.ts";
import {
  type Answer,
  bearer,
  below,
  CALLS,
  type Headers,
  MCP_WAYS,
  rpc,
  type Sent,
  send,
  withHeaders,
} from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";

let fork: Fork;
let counter: Counter;
/** Another origin. */
let elsewhere: Counter;
let provider: Provider;
let closed: Deployment;
let open: Deployment;
let openWithOAuth: Deployment;
let local: Deployment;
let key: Made;
beforeAll(async () => {
  fork = await buildTools();
  [counter, elsewhere, provider] = await Promise.all([startCounter(), startCounter(), startProvider()]);
  const oauth = { JWT_ISSUER: provider.issuer, JWT_JWKS_URL: provider.jwksUrl };
  const unlimited = { RATE_PER_MINUTE: "" };
  const settings = [
    // Exactly as in wrangler.toml: no setting, no secret.
    {},
    {
      ...unlimited,
      PUBLIC: "true",
      ALLOWED_ORIGINS: "https://app.example.com https://other.example.com:8443",
      ALLOWED_HOSTS: `${counter.host} ${elsewhere.host}`,
    },
    { ...unlimited, PUBLIC: "true", JWT_SECRET: SECRET, ...oauth },
    { LOCAL: "true" },
  ];
  type All = [Deployment, Deployment, Deployment, Deployment];
  [closed, open, openWithOAuth, local] = (await deployAll(fork, settings, counter)) as All;
  key = await open.makeKey({ scopes: ["vault:open"] });
});
afterAll(async () => {
  await closed?.stop();
  for (const one of [counter, elsewhere, provider]) one?.stop();
  fork?.remove();
});

const SHARED_PATHS = [
  ...["/tools", "/tools/call", "/call", "/info", "/mcp", "/opentool/version", "/opentool/load", "/opentool/call"],
  ...["/opentool/streamCall", "/openapi.json", "/tools/call/Vault.Peek"],
];
const TRICKS = [
  ...["/tools/", "//tools", "/./tools", "/x/../tools", "/%74ools", "/tools%2f", "/tools;x", "/tools?health", "/TOOLS"],
  ...[
    "/health/../tools",
    "/health/x",
    "/health%2f..%2ftools",
    "/health;/../tools",
    "/healthz",
    "/HEALTH",
    "/health.json",
  ],
  ...["/%00", "/%", "/%ff", "/tools%00", "/.well-known", "/.well-known/oauth-authorization-server", "/.well-known/x"],
  ...[
    "/.well-known/oauth-protected-resource/x",
    "/.well-known/oauth-protected-resource/mcp/x",
    "/favicon.ico",
    "/robots.txt",
  ],
  ...[
    "/index.js",
    "/wrangler.toml",
    "/.dev.vars",
    "/.git/config",
    "/authorize",
    "/token",
    "/register",
    "/keys",
    "/admin",
  ],
  ...["/healthx", "/health/mcp", "/mcp/health", "/vault", "/vault/", "/nothing", "/cdn-cgi/x"],
];
const BELOW = ["", "/vault", "/shop", "/nothing"];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Where clients look for a sign-in before they have a credential, everyone is told that there is none. */
function statusAt(path: string, method: string): number {
  if (path.startsWith("/.well-known")) return 404;
  if (!["/authorize", "/token", "/register"].includes(path)) return 401;
  return method === "OPTIONS" ? 204 : 400;
}

describe("the dry run's output, without configuration (docs/access.md)", () => {
  it.each(BELOW)("refuses every method on every path of %s", async (prefix) => {
    const paths = [...SHARED_PATHS, ...(prefix === "" ? TRICKS : ["/health", "/.well-known/oauth-protected-resource"])];
    const ran = await counter.ranBy(async () => {
      for (const path of paths) {
        for (const method of METHODS) {
          const body = ["POST", "PUT", "PATCH"].includes(method) ? rpc("tools/list") : undefined;
          const { status, headers, text } = await send(closed.url, { method, path: prefix + path, body });
          const expected = statusAt(path, method);
          expect(status, `${method} ${prefix}${path}`).toBe(expected);
          expect(headers["www-authenticate"]).toBe(expected === 401 ? 'Bearer realm="trivet"' : undefined);
          // RFC 9110, section 9.3.2: no content in an answer to HEAD.
          expect(text === "").toBe(method === "HEAD" || expected === 204);
          expect(text).not.toMatch(/vault|shop/i);
        }
      }
    });
    expect(ran).toEqual([]);
  });

  it("refuses every call, in every protocol, in its own shape", async () => {
    const ran = await counter.ranBy(async () => {
      for (const [way, call] of Object.entries(CALLS)) {
        for (const prefix of ["", "/vault", "/shop", "/nothing"]) {
          const answer = await send(closed.url, below(prefix, call("Vault.Peek")));
          expect(answer.status).toBe(401);
          expectShape(way, answer);
        }
      }
    });
    expect(ran).toEqual([]);
  });

  it.each(Object.entries(MCP_WAYS))("refuses every method of MCP %s", async (_, way) => {
    const methods = [
      ...["initialize", "ping", "server/discover", "tools/list", "prompts/list", "resources/list"],
      ...["resources/templates/list", "completion/complete", "logging/setLevel", "subscriptions/listen", "x"],
    ];
    for (const method of methods) {
      const answer = await send(closed.url, way(method));
      expect([answer.status, answer.headers["mcp-session-id"]]).toEqual([401, undefined]);
    }
  });

  it("is open at /, /health and the public documents, and reveals little there", async () => {
    for (const path of ["/mcp/server-card", "/server.json", "/.well-known/ai-catalog.json"]) {
      const { status, text } = await send(closed.url, { path });
      expect(status).toBe(200);
      expect(text).not.toMatch(/vault|shop|whisper/i);
    }
    // OXP, Health.
    const [root, health] = await Promise.all(["/", "/health"].map((path) => send(closed.url, { path })));
    expect([root?.status, health?.status]).toEqual([200, 200]);
    expect(health?.body).toEqual({ status: "ok" });
    for (const { text } of [root, health] as Answer[]) expect(text).not.toMatch(/vault|shop|whisper/i);
  });

  it("neither reads nor validates an anonymous caller's body", async () => {
    // Small enough to be sent before the answer closes the connection.
    const large = "x".repeat(60_000);
    const bodies = ["{", "[[[[", large, '{"jsonrpc": "2.0"}'];
    for (const path of ["/tools/call", "/mcp", "/opentool/call"]) {
      for (const body of bodies) {
        expect((await send(closed.url, { method: "POST", path, body })).status).toBe(401);
      }
    }
  });

  it("takes no setting from the request", async () => {
    const claims: Headers = [
      ...["X-Forwarded-For", "X-Real-IP", "CF-Connecting-IP", "Forwarded", "X-Client-IP"].map(
        (name) => [name, "127.0.0.1"] as const,
      ),
      ...["X-Forwarded-Host", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override"].map(
        (name) => [name, "/health"] as const,
      ),
      ["X-Public", "true"],
      ["LOCAL", "true"],
      ["Upgrade-Insecure-Requests", "1"],
    ];
    for (const path of ["/tools", "/tools?LOCAL=true&PUBLIC=true"]) {
      expect((await send(closed.url, { path, headers: claims })).status).toBe(401);
      expect((await send(closed.url, { path, headers: claims, host: "127.0.0.1" })).status).toBe(401);
      expect((await send(closed.url, { path, headers: claims, host: "localhost" })).status).toBe(401);
    }
    expect((await send(closed.url, { method: "GET", path: `${closed.url}/tools` })).status).toBe(401);
  });

  it("logs once how to open it", () => {
    expect(closed.entries().filter(({ level }) => level === "warning")).toHaveLength(1);
    expect(closed.entries().filter(({ level }) => level === "error")).toEqual([]);
  });
});

describe('PUBLIC = "true" (docs/access.md; OXP, Server Authentication: none)', () => {
  it.each(Object.entries(CALLS))(
    "%s: anonymous callers can call tools that require no scope, and see no others",
    async (_, call) => {
      expect(await counter.ranBy(() => send(open.url, call("Vault.Peek")))).toEqual(["vault.peek"]);
      const ran = await counter.ranBy(async () => {
        const hidden = await send(open.url, call("Vault.Open"));
        const unknown = await send(open.url, call("Vault.Xxxx"));
        expect(hidden.status).toBe(unknown.status);
        expect(hidden.text).toBe(unknown.text.replaceAll("Xxxx", "Open"));
      });
      expect(ran).toEqual([]);
    },
  );

  it("lists no more than what anonymous callers may call", async () => {
    for (const sent of [{ path: "/tools" }, { path: "/opentool/load" }, MCP_WAYS.bare("tools/list")]) {
      const { text } = await send(open.url, sent);
      expect(text).toContain("Peek");
      expect(text).not.toMatch(/Vault.Open|Shop.Buy|vault:open/);
    }
  });

  it.each([
    ["Basic", "Basic dXNlcjpwYXNz"],
    ["another's bearer", "Bearer abc"],
    ["another's JWT", `Bearer ${shared()}`],
    ["Negotiate, 9 KiB long", `Negotiate ${"A".repeat(9_000)}`],
    ["an unreadable value", "?"],
    ["two of them", "Bearer a, Bearer b"],
  ])('ignores an unknown Authorization: %s ("MUST be ignored")', async (_, value) => {
    for (const call of Object.values(CALLS)) {
      const sent = withHeaders(call("Vault.Peek"), [["Authorization", value]]);
      expect(await counter.ranBy(() => send(open.url, sent))).toEqual(["vault.peek"]);
    }
  });

  it("checks its own kinds of credentials: a valid key is its principal, an invalid one is refused", async () => {
    const call = CALLS["OXP /tools/call"] as (id: string) => Sent;
    expect(await counter.ranBy(() => send(open.url, withHeaders(call("Vault.Open"), bearer(key.text))))).toEqual([
      "vault.open",
    ]);
    const bad = await send(open.url, withHeaders(call("Vault.Peek"), bearer(`${key.text.slice(0, -3)}___`)));
    expect(bad.status).toBe(401);
  });

  it("challenges anonymous callers with 401 and the scopes if OAuth is configured (RFC 6750, section 3.1)", async () => {
    for (const way of ["OXP /tools/call", "MCP bare", "MCP 2025-11-25", "MCP 2026-07-28", "OpenTool call"]) {
      const call = CALLS[way] as (id: string) => Sent;
      expect(await counter.ranBy(() => send(openWithOAuth.url, call("Vault.Peek")))).toEqual(["vault.peek"]);
      let answer: Answer | undefined;
      const ran = await counter.ranBy(async () => {
        answer = await send(openWithOAuth.url, call("Shop.Buy"));
      });
      expect(ran).toEqual([]);
      expect(answer?.status).toBe(401);
      const challenge = answer?.headers["www-authenticate"] ?? "";
      expect(challenge).toContain('scope="shop:buy shop:pay"');
      expect(challenge).toContain("resource_metadata=");
      // "If the request lacks any authentication information ... SHOULD NOT include an error code".
      expect(challenge).not.toContain("error=");
    }
  });

  it("anonymous callers cannot use a key's session", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const started = await send(open.url, withHeaders(MCP_WAYS.bare("initialize", params), bearer(key.text)));
    const session: Headers = [["Mcp-Session-Id", started.headers["mcp-session-id"] as string]];
    expect((await send(open.url, withHeaders(MCP_WAYS.bare("tools/list"), session))).status).toBe(404);
  });
});

describe("who may call from a page (MCP, Security Warning; Fetch standard, CORS)", () => {
  const origin = (value: string): Headers => [["Origin", value]];
  const status = async (deployment: Deployment, headers: Headers, host?: string) => {
    const sent = { ...withHeaders(CALLS["MCP bare"]?.("Vault.Peek") as Sent, headers), ...(host && { host }) };
    return (await send(deployment.url, sent)).status;
  };
  const foreign = [
    ...["null", "https://evil.example", "https://app.example.com.evil.example", "https://evil-app.example.com"],
    ...[
      "http://app.example.com",
      "https://app.example.com:444",
      "https://app.example.com:443",
      "https://app.example.com/",
    ],
    ...[
      "https://app.example.com@evil.example",
      "https://evil.example#https://app.example.com",
      "HTTPS://APP.EXAMPLE.COM",
    ],
    ...[
      "https://App.example.com",
      "//app.example.com",
      "app.example.com",
      "https://app.example.com, https://evil.example",
    ],
    ...[
      "https://app.example.com https://other.example.com:8443",
      "https://other.example.com",
      "*",
      "https://*.example.com",
    ],
    ...["https://app.example.com.", "https://xn--app-example.com", "file://", "about:blank", "chrome-extension://abc"],
    ...[
      "https://app.example.com\t",
      "https://app。example.com",
      "https://127.0.0.1",
      "http://127.0.0.1",
      "http://localhost",
    ],
    ...["undefined", " ", "http://[::1]"],
  ].filter((one) => one.trim() !== "" && one.trim() !== "https://app.example.com");
  it.each(foreign)("not from %s", async (value) => {
    const ran = await counter.ranBy(async () => {
      expect(await status(open, origin(value))).toBe(403);
      const preflight = await send(open.url, {
        method: "OPTIONS",
        path: "/mcp",
        headers: [...origin(value), ["Access-Control-Request-Method", "POST"]],
      });
      expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    });
    expect(ran).toEqual([]);
  });

  it("not from two origins at once, raw", async () => {
    expect(await status(open, [...origin("https://app.example.com"), ...origin("https://evil.example")])).toBe(403);
  });

  it("from those that are allowed, and its own", async () => {
    for (const value of ["https://app.example.com", "https://other.example.com:8443", open.url]) {
      expect(await status(open, origin(value))).toBe(200);
    }
  });

  it("a preflight's answer varies by the requested headers and the origin (RFC 9110, section 12.5.5)", async () => {
    const { status, headers } = await send(open.url, {
      method: "OPTIONS",
      path: "/mcp",
      headers: [...origin("https://app.example.com"), ["Access-Control-Request-Method", "POST"]],
    });
    expect([status, headers.vary]).toEqual([204, "access-control-request-headers, origin"]);
  });
});

describe("LOCAL: loopback only, and everything is open there (docs/access.md, Browsers; DNS rebinding)", () => {
  it.each(Object.entries(CALLS))("%s runs everything without a credential", async (_, call) => {
    expect(await counter.ranBy(() => send(local.url, call("Vault.Open")))).toEqual(["vault.open"]);
  });

  it.each([
    ...["evil.example", "evil.example:8787", "127.0.0.1.evil.example", "localhost.evil.example", "evil-localhost"],
    ...["10.0.0.1", "192.168.1.2:8787", "0.0.0.0", "[::]", "[::ffff:10.0.0.1]", "169.254.169.254", "127.0.0.1.nip.io"],
    ...["localhost.", "trivet.local", "localhost@evil.example", "[fe80::1]"],
  ])("not by the name %s", async (host) => {
    const ran = await counter.ranBy(async () => {
      for (const call of Object.values(CALLS)) {
        const { status } = await send(local.url, { ...call("Vault.Open"), host });
        expect([400, 403]).toContain(status);
      }
      for (const path of ["/tools", "/mcp", "/unknown"]) {
        expect([400, 403]).toContain((await send(local.url, { path, host })).status);
      }
    });
    expect(ran).toEqual([]);
  });

  it.each([
    "null",
    "https://evil.example",
    "http://127.0.0.1.evil.example",
    "http://localhost.evil.example",
    "http://127.0.0.1@evil.example",
    "ftp://127.0.0.1",
    "http://",
    "http://0.0.0.0",
  ])("not from a page of %s", async (value) => {
    const ran = await counter.ranBy(async () => {
      for (const call of Object.values(CALLS)) {
        expect((await send(local.url, withHeaders(call("Vault.Open"), [["Origin", value]]))).status).toBe(403);
      }
    });
    expect(ran).toEqual([]);
  });

  it.each(["localhost", "localhost:9999", "127.0.0.1", "127.8.9.10:80", "[::1]:8787", "trivet.localhost"])(
    "by the name %s",
    async (host) => {
      expect((await send(local.url, { path: "/tools", host })).status).toBe(200);
    },
  );
});

describe("a tool's fetch reaches public addresses only (RFC 6890)", () => {
  const fetched = async (url: string) =>
    (await send(open.url, CALLS["OXP /tools/call"]?.("Reach.Out", { url }) as Sent)).body.result.value;
  const INSIDE = [
    ...[
      "http://169.254.169.254/latest/meta-data/",
      "http://2852039166/",
      "http://0xA9FEA9FE/",
      "http://0251.0376.0251.0376/",
    ],
    ...["http://0xa9.0xfe.0xa9.0xfe/", "http://169.254.43518/", "http://169.16689662/", "http://169.254.169.254./"],
    ...[
      "http://１６９.２５４.１６９.２５４/",
      "http://169。254。169。254/",
      "http://①⑥⑨.254.169.254/",
      "http://%31%36%39.254.169.254/",
    ],
    ...[
      "http://user:pass@169.254.169.254/",
      "http://example.com@169.254.169.254/",
      "http://169.254.169.254:80/",
      "http:169.254.169.254",
    ],
    ...[
      "http://[::ffff:169.254.169.254]/",
      "http://[::ffff:a9fe:a9fe]/",
      "http://[::169.254.169.254]/",
      "http://[64:ff9b::a9fe:a9fe]/",
    ],
    ...[
      "http://[64:ff9b:1::a9fe:a9fe]/",
      "http://[2002:a9fe:a9fe::]/",
      "http://[fd00:ec2::254]/",
      "http://[fe80::1]/",
      "http://[::1]/",
    ],
    ...[
      "http://[::]/",
      "http://[0:0:0:0:0:ffff:127.0.0.1]/",
      "http://[ff02::1]/",
      "http://[fec0::1]/",
      "http://[2001:db8::1]/",
    ],
    ...[
      "http://127.0.0.1/",
      "http://127.1/",
      "http://0/",
      "http://0.0.0.0/",
      "http://127.0.0.1.:80/",
      "http://localhost/",
      "http://LOCALHOST/",
    ],
    ...[
      "http://localhost./",
      "http://a.localhost/",
      "http://10.1.2.3/",
      "http://172.16.0.1/",
      "http://172.31.255.255/",
      "http://192.168.0.1/",
    ],
    ...[
      "http://100.100.100.200/",
      "http://192.0.0.192/",
      "http://198.18.0.1/",
      "http://224.0.0.1/",
      "http://255.255.255.255/",
    ],
    ...[
      "http://metadata.google.internal/",
      "http://metadata/",
      "http://instance-data/",
      "http://kubernetes.default.svc/",
      "http://router.lan/",
    ],
    ...[
      "https://printer.local/",
      "http://x.home.arpa/",
      "file:///etc/passwd",
      "ftp://127.0.0.1/",
      "data:text/plain,x",
      "javascript:1",
    ],
    ...["ws://127.0.0.1/", "gopher://127.0.0.1/", "blob:http://127.0.0.1/x"],
  ];
  it.each(INSIDE)("%s", async (url) => {
    expect(await fetched(url)).toEqual({ refused: "AddressRefused" });
  });

  it.each([
    "http://169.254.169.254/latest/",
    "http://2852039166/",
    "//169.254.169.254/",
    "http://[::ffff:169.254.169.254]/",
    "http://127.0.0.1:1/",
    "file:///etc/passwd",
    "http://localhost/",
  ])("a redirect to %s", async (to) => {
    const url = `${counter.url}/redirects?to=${encodeURIComponent(to)}`;
    const ran = await counter.ranBy(async () => expect(await fetched(url)).toEqual({ refused: "AddressRefused" }));
    expect(ran).toEqual(["redirects"]);
  });

  it("a redirect to another origin drops credentials and headers that identify users", async () => {
    const identifying = { authorization: "Bearer x", cookie: "a=1", baggage: "user=ada", tracestate: "vendor=ada" };
    const reach = async (to: string) => {
      const input = {
        url: `${counter.url}/redirects?to=${encodeURIComponent(to)}`,
        headers: { ...identifying, "x-own": "y" },
      };
      const { body } = await send(open.url, CALLS["OXP /tools/call"]?.("Reach.Out", input) as Sent);
      expect(body.result.value).toMatchObject({ status: 200 });
    };
    await reach(`${counter.url}/same`);
    expect(counter.headers()).toMatchObject(identifying);
    await reach(`${elsewhere.url}/other`);
    expect(elsewhere.headers()).toMatchObject({ "x-own": "y" });
    for (const name of Object.keys(identifying)) expect(elsewhere.headers()).not.toHaveProperty(name);
  });

  it("an internal host can be allowed by name and port, and in no other way", async () => {
    const port = counter.host.split(":")[1];
    expect(await fetched(`${counter.url}/allowed`)).toMatchObject({ status: 200 });
    for (const url of [
      `http://localhost:${port}/`,
      `http://127.1.1.1:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      "http://127.0.0.1/",
    ]) {
      expect(await fetched(url)).toEqual({ refused: "AddressRefused" });
    }
  });
});
