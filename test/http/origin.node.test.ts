/** Web pages that call the built Worker, which requires credentials: the Fetch standard's CORS protocol. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fork } from "../support/node/fork.ts";
import { type Answer, buildTools, type Deployment, deploy, send } from "../support/node/oauth/deployment.ts";
import { type Issuer, startIssuer } from "../support/node/oauth/issuer.ts";

const PAGE = "https://app.example.com";
const OTHER_PAGE = "http://localhost:5173";
const METADATA = "/.well-known/oauth-protected-resource";

let fork: Fork;
let issuer: Issuer;
let here: Deployment;
let token: string;
beforeAll(async () => {
  fork = await buildTools();
  issuer = await startIssuer();
  const provider = { JWT_ISSUER: issuer.url, JWT_JWKS_URL: issuer.jwksUrl };
  here = await deploy(fork, { ...provider, ALLOWED_ORIGINS: `${PAGE} ${OTHER_PAGE}` });
  token = await issuer.mint({ aud: here.url });
});
afterAll(async () => {
  await Promise.all([here, issuer].map((one) => one?.stop()));
  fork?.remove();
});

const MCP = { jsonrpc: "2.0", id: 1 };
const LIST = { ...MCP, method: "tools/list" };
const INITIALIZE = {
  ...MCP,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } },
};
const PATHS = ["/mcp", "/notes/mcp", "/nothing/mcp", "/tools", "/tools/call", "/opentool/call", "/health"];
/** Headers that pages send besides those that CORS always allows. */
const HEADERS = [
  "accept",
  "authorization",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-param-region",
  // A parameter header's name may be any token (MCP 2026-07-28, x-mcp-header; RFC 9110, section 5.6.2).
  "mcp-param-a.b~c",
  "mcp-protocol-version",
  "mcp-session-id",
  "oxp-api-key",
  "traceparent",
  "x-agent-api-key",
];

const listOf = (value: string | null) => (value ?? "").split(",").map((one) => one.trim().toLowerCase());
const ask = (path: string, method: string, origin = PAGE, headers: readonly string[] = HEADERS) =>
  send(here.url + path, "OPTIONS", {
    origin,
    "access-control-request-method": method,
    ...(headers.length > 0 && { "access-control-request-headers": headers.join(",") }),
  });

describe("a preflight from a page that may call", () => {
  it.each(PATHS)("of %s is answered without a credential (CORS-preflight fetch: none is ever sent)", async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const answer = await ask(path, method);
      // "An ok status": 200 to 299.
      expect([method, answer.status, answer.text]).toEqual([method, 204, ""]);
      expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
      expect(listOf(answer.headers.get("access-control-allow-methods"))).toContain(method.toLowerCase());
      // "`Authorization` [...] always needs to be listed explicitly": "*" is not enough.
      expect(listOf(answer.headers.get("access-control-allow-headers"))).toEqual(expect.arrayContaining(HEADERS));
      expect(Number(answer.headers.get("access-control-max-age"))).toBeGreaterThan(0);
      expectPrivate(answer, PAGE);
    }
  });

  it("without header names is answered as well", async () => {
    const answer = await ask("/mcp", "DELETE", PAGE, []);
    expect([answer.status, answer.headers.get("access-control-allow-headers")]).toEqual([204, null]);
  });

  it("may name very many headers", async () => {
    const many = Array.from({ length: 100 }, (_, index) => `mcp-param-parameter-${index}`);
    const answer = await ask("/mcp", "POST", PAGE, many);
    expect(listOf(answer.headers.get("access-control-allow-headers"))).toEqual(expect.arrayContaining(many));
  });

  it("with an invalid header name does not get it back", async () => {
    const answer = await ask("/mcp", "POST", PAGE, ["x-a; b", '"']);
    expect(answer.headers.get("access-control-allow-headers")).toBeNull();
  });

  it("without a method is not a preflight, and is refused like any request (401)", async () => {
    expect((await send(`${here.url}/mcp`, "OPTIONS", { origin: PAGE })).status).toBe(401);
  });
});

describe("an answer", () => {
  const call = (name: string) => ({ ...MCP, method: "tools/call", params: { name, arguments: {} } });
  const as = () => ({ authorization: `Bearer ${token}` });
  const ANSWERS: readonly [string, number, (headers: Record<string, string>) => Promise<Answer>][] = [
    ["a listing", 200, (headers) => send(`${here.url}/tools`, "GET", { ...as(), ...headers })],
    ["health", 200, (headers) => send(`${here.url}/health`, "GET", headers)],
    ["a session's start", 200, (headers) => send(`${here.url}/mcp`, "POST", { ...as(), ...headers }, INITIALIZE)],
    ["a call", 200, (headers) => send(`${here.url}/mcp`, "POST", { ...as(), ...headers }, call("Notes_Read"))],
    ["a bad request", 400, (headers) => send(`${here.url}/mcp`, "POST", { ...as(), ...headers }, { a: 1 })],
    ["no credential", 401, (headers) => send(`${here.url}/mcp`, "POST", headers, LIST)],
    ["no credential, for OXP", 401, (headers) => send(`${here.url}/tools`, "GET", headers)],
    ["no credential, for OpenTool", 401, (headers) => send(`${here.url}/opentool/load`, "GET", headers)],
    ["no credential, at nothing", 401, (headers) => send(`${here.url}/nothing`, "GET", headers)],
    ["a bad one", 401, (headers) => send(`${here.url}/mcp`, "POST", { ...headers, authorization: "Bearer x" }, LIST)],
    ["a scope", 403, (headers) => send(`${here.url}/mcp`, "POST", { ...as(), ...headers }, call("Notes_Erase"))],
    ["nothing", 404, (headers) => send(`${here.url}/nothing`, "GET", { ...as(), ...headers })],
    ["no such toolkit", 404, (headers) => send(`${here.url}/nothing/mcp`, "POST", { ...as(), ...headers }, LIST)],
    ["no such method", 405, (headers) => send(`${here.url}/tools`, "PUT", { ...as(), ...headers })],
    [
      "another type",
      415,
      (headers) => send(`${here.url}/mcp`, "POST", { ...as(), ...headers, "content-type": "a/b" }, {}),
    ],
    [
      "too long a credential",
      431,
      (headers) => send(`${here.url}/mcp`, "POST", { ...headers, authorization: `Bearer ${"a".repeat(9_000)}` }, LIST),
    ],
  ];

  it.each(ANSWERS)("of %s, %d, can be read by pages that may call (CORS check)", async (_, status, ask) => {
    for (const origin of [PAGE, OTHER_PAGE, here.url]) {
      const answer = await ask({ origin });
      expect([origin, answer.status]).toEqual([origin, status]);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      // Headers that a page must be able to read: where to sign in, when to retry, its session.
      expect(listOf(answer.headers.get("access-control-expose-headers"))).toEqual(
        expect.arrayContaining(["www-authenticate", "mcp-session-id", "retry-after", "etag"]),
      );
      expectPrivate(answer, origin);
    }
  });

  it.each(ANSWERS)(
    "of %s, %d, names no origin without an Origin header, and forbids sniffing its type",
    async (_, status, ask) => {
      const answer = await ask({});
      expect(answer.status).toBe(status);
      expect(corsOf(answer)).toEqual([]);
      // Fetch standard, X-Content-Type-Options.
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );

  it.each(ANSWERS)("of %s is 403 for any other page, before any other check", async (_, __, ask) => {
    // MCP, basic/transports: "Servers MUST validate the Origin header on all incoming connections [...] If the Origin
    // header is present and invalid, servers MUST respond with HTTP 403 Forbidden."
    const answer = await ask({ origin: "https://elsewhere.example" });
    expect(answer.status).toBe(403);
    expect(corsOf(answer)).toEqual([]);
    expect(answer.headers.has("www-authenticate")).toBe(false);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("for a listing that the page already has (304) can be read as well", async () => {
    const { headers } = await send(`${here.url}/tools`, "GET", as());
    const known = { ...as(), origin: PAGE, "if-none-match": headers.get("etag") ?? "" };
    const answer = await send(`${here.url}/tools`, "GET", known);
    expect(answer.status).toBe(304);
    expect(answer.headers.get("access-control-allow-origin")).toBe(PAGE);
  });

  const BARE: readonly [string, () => Promise<Answer>][] = [
    ["the page at /", () => send(`${here.url}/`, "GET")],
    ["304", () => send(`${here.url}/tools`, "GET", { ...as(), "if-none-match": "*" })],
    ["202", () => send(`${here.url}/mcp`, "POST", as(), { jsonrpc: "2.0", method: "notifications/initialized" })],
  ];
  it.each(BARE)("of %s forbids sniffing its type", async (_, ask) => {
    expect((await ask()).headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("a page that may not call", () => {
  it.each([
    "https://elsewhere.example",
    "https://app.example.com.elsewhere.example",
    "https://elsewhere.example/https://app.example.com",
    "https://sub.app.example.com",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://app.example.com/",
    "https://APP.example.com",
    "http://localhost:5174",
    "http://localhost",
    "null",
    `${PAGE}, ${OTHER_PAGE}`,
    `${PAGE} ${OTHER_PAGE}`,
    "*",
  ])("of origin %j is refused, its preflights too", async (origin) => {
    for (const path of PATHS) {
      for (const answer of [
        await ask(path, "POST", origin),
        await send(here.url + path, path.endsWith("call") || path.endsWith("mcp") ? "POST" : "GET", { origin }),
      ]) {
        expect([path, answer.status]).toEqual([path, 403]);
        expect(corsOf(answer)).toEqual([]);
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      }
    }
  });
});

describe("the metadata", () => {
  it("can be read by any page", async () => {
    for (const origin of [PAGE, "https://elsewhere.example", "null"]) {
      const answer = await send(`${here.url}${METADATA}/mcp`, "GET", { origin });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("can be requested with MCP-Protocol-Version by any page", async () => {
    const answer = await ask(`${METADATA}/mcp`, "GET", "https://elsewhere.example", ["mcp-protocol-version"]);
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(["*", "mcp-protocol-version"]).toContain(answer.headers.get("access-control-allow-headers"));
  });
});

/** Checks that the answer is readable by this origin only: no wildcard, no cookies. */
function expectPrivate(answer: Answer, origin: string): void {
  expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
  // Fetch standard, CORS protocol and HTTP caches: "`Vary` is to be used".
  expect(listOf(answer.headers.get("vary"))).toContain("origin");
  expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
}

function corsOf({ headers }: Answer): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}
