/**
 * The built Worker as an OAuth protected resource: its metadata (RFC 9728), its challenges, and which tokens it
 * accepts.
 */
import { generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fork } from "../support/node/fork.ts";
import { parseChallenge } from "../support/node/oauth/challenge.ts";
import { type Answer, buildTools, type Deployment, deploy, send } from "../support/node/oauth/deployment.ts";
import { type Issuer, startIssuer } from "../support/node/oauth/issuer.ts";

const METADATA = "/.well-known/oauth-protected-resource";

let fork: Fork;
let issuer: Issuer;
let here: Deployment;
/** A deployment open to anonymous callers. */
let open: Deployment;
/** A deployment with API keys only. */
let keysOnly: Deployment;
beforeAll(async () => {
  fork = await buildTools();
  issuer = await startIssuer();
  const provider = { JWT_ISSUER: issuer.url, JWT_JWKS_URL: issuer.jwksUrl };
  here = await deploy(fork, { ...provider, OAUTH_SCOPES: "tools notes:read" });
  open = await deploy(fork, { ...provider, OAUTH_SCOPES: "", PUBLIC: "true" });
  keysOnly = await deploy(fork);
});
afterAll(async () => {
  await Promise.all([here, open, keysOnly, issuer].map((one) => one?.stop()));
  fork?.remove();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const get = (path: string, headers?: Record<string, string>) => send(here.url + path, "GET", headers);

interface Endpoint {
  readonly path: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly body?: object;
  /** The path suffix of its resource's metadata. */
  readonly metadata: string;
}

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const OXP_CALL = { request: { tool_id: "Notes.Read", input: {} } };
const OPENTOOL_CALL = { jsonrpc: "2.0", id: "1", method: "Notes_Read", params: {} };
const ENDPOINTS: readonly Endpoint[] = [
  { path: "/mcp", method: "POST", body: LIST, metadata: "/mcp" },
  { path: "/mcp", method: "GET", metadata: "/mcp" },
  { path: "/mcp", method: "DELETE", metadata: "/mcp" },
  { path: "/notes/mcp", method: "POST", body: LIST, metadata: "/notes/mcp" },
  { path: "/nothing/mcp", method: "POST", body: LIST, metadata: "/nothing/mcp" },
  { path: "/notes/mcp/", method: "POST", body: LIST, metadata: "/notes/mcp/" },
  { path: "/mcp/", method: "POST", body: LIST, metadata: "/mcp/" },
  { path: "/tools", method: "GET", metadata: "" },
  { path: "/tools/call", method: "POST", body: OXP_CALL, metadata: "" },
  { path: "/call", method: "POST", body: OXP_CALL, metadata: "" },
  { path: "/notes/tools", method: "GET", metadata: "" },
  { path: "/nothing/tools", method: "GET", metadata: "" },
  { path: "/opentool/version", method: "GET", metadata: "" },
  { path: "/opentool/load", method: "GET", metadata: "" },
  { path: "/opentool/call", method: "POST", body: OPENTOOL_CALL, metadata: "" },
  { path: "/opentool/streamCall", method: "POST", body: OPENTOOL_CALL, metadata: "" },
  { path: "/notes/opentool/load", method: "GET", metadata: "" },
  { path: "/nothing", method: "GET", metadata: "" },
];
const callEndpoint = ({ path, method, body }: Endpoint, headers: Record<string, string> = {}, at: Deployment = here) =>
  send(at.url + path, method, headers, body);

describe("protected resource metadata (RFC 9728)", () => {
  it.each(["", "/mcp", "/mcp/", "/notes/mcp", "/notes/mcp/", "/clock/mcp"])(
    "of %s names that resource, exactly",
    async (suffix) => {
      const answer = await get(METADATA + suffix);
      // Section 3.2: "MUST use the 200 OK HTTP status code and return a JSON object using the application/json content
      // type".
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(JSON.parse(answer.text)).toEqual({
        // Section 3.3: "MUST be identical to the protected resource's resource identifier value into which the
        // well-known URI path suffix was inserted".
        resource: here.url + suffix,
        // MCP, Authorization Server Location: "MUST include the authorization_servers field". The issuer, as it spells
        // itself.
        authorization_servers: [issuer.url],
        // MCP, Scope Selection Strategy: "the minimal set of scopes necessary for basic functionality".
        scopes_supported: ["tools", "notes:read"],
        // MCP, Token Requirements: the header only; "MUST NOT be included in the URI query string".
        bearer_methods_supported: ["header"],
        resource_name: "trivet",
      });
    },
  );

  it('leaves out what would be empty (section 3.2: "Parameters with zero elements MUST be omitted")', async () => {
    const { text } = await send(open.url + METADATA, "GET");
    expect(Object.keys(JSON.parse(text))).toEqual([
      "resource",
      "authorization_servers",
      "bearer_methods_supported",
      "resource_name",
    ]);
  });

  it("is the same for existing and unknown toolkits", async () => {
    const [some, none] = await Promise.all([get(`${METADATA}/notes/mcp`), get(`${METADATA}/nothing/mcp`)]);
    expect(none.status).toBe(some.status);
    expect(none.text.replaceAll("nothing", "notes")).toBe(some.text);
    expect(namesOf(none)).toEqual(namesOf(some));
  });

  it("is public: for pages of any origin, with any credential or none", async () => {
    for (const headers of [{}, { origin: "https://elsewhere.example" }, bearer("nonsense")]) {
      const answer = await get(`${METADATA}/mcp`, headers as Record<string, string>);
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    }
  });

  it("answers HEAD as GET, without a body (RFC 9110, section 9.3.2)", async () => {
    for (const suffix of ["", "/mcp", "/notes/mcp"]) {
      const answer = await send(here.url + METADATA + suffix, "HEAD");
      expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([200, "application/json", ""]);
    }
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])(
    'refuses %s (section 3.1: "using an HTTP GET request")',
    async (method) => {
      for (const suffix of ["", "/mcp", "/notes/mcp"]) {
        const answer = await send(here.url + METADATA + suffix, method);
        // RFC 9110, section 15.5.6: "MUST generate an Allow header field".
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
        expect(answer.text).toContain("Only GET and HEAD are allowed here");
      }
    },
  );

  // Section 3.1: "any terminating slash (/) following the host component MUST be removed before inserting".
  it("of the origin ignores a trailing slash", async () => {
    expect(JSON.parse((await get(`${METADATA}/`)).text)).toMatchObject({ resource: here.url });
  });

  it.each(["/tools", "/notes", "/notes/tools", "/a/b/mcp", "/NOTES/mcp", "/mcp/notes"])(
    "does not exist for %s: it is not a resource",
    async (suffix) => {
      const answer = await get(METADATA + suffix);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([404, null]);
    },
  );

  it.each([
    ["tools.example.test", "http://tools.example.test"],
    ["tools.example.test:8443", "http://tools.example.test:8443"],
    ["Tools.Example.TEST:80", "http://tools.example.test"],
    ["[fd00::1]:8787", "http://[fd00::1]:8787"],
  ])("uses the host of the request, here %s", async (host, origin) => {
    const { text } = await get(`${METADATA}/notes/mcp`, { host });
    expect(JSON.parse(text).resource).toBe(`${origin}/notes/mcp`);
    const refused = await get("/notes/mcp", { host });
    const { params } = parseChallenge(refused.headers.get("www-authenticate"));
    expect(params.resource_metadata).toBe(`${origin}${METADATA}/notes/mcp`);
    const token = await issuer.mint({ aud: `${origin}/notes/mcp` });
    const listed = await send(`${here.url}/notes/mcp`, "POST", { host, ...bearer(token) }, LIST);
    expect(listed.status).toBe(200);
    // A token issued for this host is invalid under any other.
    expect((await send(`${here.url}/notes/mcp`, "POST", bearer(token), LIST)).status).toBe(401);
  });
});

describe("a deployment without OAuth", () => {
  const METHODS = ["GET", "HEAD", "POST", "OPTIONS"];
  it.each([
    METADATA,
    `${METADATA}/`,
    `${METADATA}/mcp`,
    `${METADATA}/mcp/`,
    `${METADATA}/notes/mcp`,
    `${METADATA}/nothing/mcp`,
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    // OpenID Connect Discovery, section 4: appended to the issuer's path.
    "/mcp/.well-known/openid-configuration",
    "/notes/mcp/.well-known/openid-configuration",
    "/nothing/mcp/.well-known/openid-configuration",
    `/notes${METADATA}`,
  ])("publishes nothing at %s, to anyone", async (path) => {
    const key = await keysOnly.makeKey();
    for (const headers of [{}, bearer("nonsense"), bearer(key.text), { origin: "https://elsewhere.example" }]) {
      for (const method of METHODS) {
        const answer = await send(keysOnly.url + path, method, headers as Record<string, string>);
        expect([method, answer.status, answer.headers.get("www-authenticate")]).toEqual([method, 404, null]);
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      }
    }
  });

  it.each(["/authorize", "/token", "/register", "/oauth/token", "/oauth/register"])(
    "says at %s, to anyone, in OAuth's shape that it takes API keys",
    async (path) => {
      const key = await keysOnly.makeKey();
      const form = { "content-type": "application/x-www-form-urlencoded" };
      for (const headers of [{}, form, bearer("nonsense"), bearer(key.text), { origin: "https://elsewhere.example" }]) {
        for (const method of ["GET", "POST"]) {
          const answer = await send(keysOnly.url + path, method, headers as Record<string, string>);
          // RFC 6749, section 5.2, and RFC 7591, section 3.2.2: "HTTP 400 status code", JSON, and these codes.
          expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/json"]);
          expect([answer.headers.get("www-authenticate"), answer.headers.get("cache-control")]).toEqual([
            null,
            "no-store",
          ]);
          const { error, error_description } = JSON.parse(answer.text);
          expect(error).toBe(CODES[path.slice(path.lastIndexOf("/"))]);
          expect(error_description).toMatch(/^This server takes API keys .*Authorization: Bearer KEY$/);
          // Section 5.2: "MUST NOT include characters outside the set %x20-21 / %x23-5B / %x5D-7E".
          expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
        }
      }
    },
  );
  const CODES: Record<string, string> = {
    "/authorize": "unsupported_response_type",
    "/token": "unsupported_grant_type",
    "/register": "invalid_client_metadata",
  };

  it("lets a web page read that", async () => {
    const preflight = { origin: "https://elsewhere.example", "access-control-request-method": "POST" };
    const answer = await send(`${keysOnly.url}/register`, "OPTIONS", preflight);
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("access-control-allow-headers")).toBe("*");
  });

  it("names the identity provider if there is one", async () => {
    const answer = await send(`${here.url}/register`, "POST", {}, {});
    expect([answer.status, JSON.parse(answer.text).error_description]).toEqual([
      400,
      expect.stringContaining(issuer.url),
    ]);
  });
});

it.each(["GET", "POST"])("an unknown document is not found, for anyone: %s", async (method) => {
  for (const at of [here, open, keysOnly]) {
    for (const path of ["/.well-known/nothing", "/.well-known", "/.well-known/", "/.well-known/openid-configuration"]) {
      const answer = await send(at.url + path, method);
      expect([path, answer.status, answer.headers.get("www-authenticate")]).toEqual([path, 404, null]);
    }
  }
});

describe("a request without a credential", () => {
  it.each(ENDPOINTS)("to $method $path gets a challenge that says where to get one", async (endpoint) => {
    const answer = await callEndpoint(endpoint);
    expect(answer.status).toBe(401);
    const { scheme, params } = parseChallenge(answer.headers.get("www-authenticate"));
    expect(scheme).toBe("Bearer");
    // RFC 6750, section 3.1: "the resource server SHOULD NOT include an error code or other error information".
    expect(params).toEqual({
      realm: "trivet",
      resource_metadata: here.url + METADATA + endpoint.metadata,
      // MCP, Scope Selection Strategy: "SHOULD include a scope parameter".
      scope: "tools notes:read",
    });
    // RFC 9728, section 3.3: for MCP's clients, "identical to the URL that the client used to make the request".
    const { resource } = JSON.parse((await send(params.resource_metadata ?? "", "GET")).text);
    expect(resource).toBe(here.url + endpoint.metadata);
  });

  it('is refused even with a token in the query (MCP, Token Requirements: "MUST NOT be included in the URI query string")', async () => {
    const token = await issuer.mint({ aud: `${here.url}/mcp` });
    const answer = await send(`${here.url}/mcp?access_token=${token}`, "POST", {}, LIST);
    expect(answer.status).toBe(401);
    expect(parseChallenge(answer.headers.get("www-authenticate")).params).not.toHaveProperty("error");
  });

  it("gets no link to metadata if there is no issuer", async () => {
    const answer = await send(`${keysOnly.url}/mcp`, "POST", {}, LIST);
    expect(answer.status).toBe(401);
    expect(parseChallenge(answer.headers.get("www-authenticate")).params).toEqual({ realm: "trivet" });
  });
});

describe("a request with an invalid token", () => {
  it.each(ENDPOINTS)("to $method $path gets invalid_token", async (endpoint) => {
    // RFC 6750, section 3.1, invalid_token: "The resource SHOULD respond with the HTTP 401 (Unauthorized) status code."
    const answer = await callEndpoint(endpoint, bearer(await issuer.mint({ aud: "https://elsewhere.example/mcp" })));
    expect(answer.status).toBe(401);
    expect(parseChallenge(answer.headers.get("www-authenticate")).params).toEqual({
      realm: "trivet",
      error: "invalid_token",
      resource_metadata: here.url + METADATA + endpoint.metadata,
      scope: "tools notes:read",
    });
  });

  const NOW = Math.floor(Date.now() / 1_000);
  const mcp = () => `${here.url}/mcp`;
  const BAD: readonly [string, () => string | Promise<string>][] = [
    ["expired", () => issuer.mint({ aud: mcp(), iat: NOW - 600, exp: NOW - 300 })],
    ["not good yet", () => issuer.mint({ aud: mcp(), nbf: NOW + 300 })],
    ["issued in time to come", () => issuer.mint({ aud: mcp(), iat: NOW + 300, exp: NOW + 600 })],
    ["without an end", () => issuer.mint({ aud: mcp(), exp: undefined } as unknown as JWTPayload)],
    ["for another server", () => issuer.mint({ aud: "https://elsewhere.example/mcp" })],
    ["for one toolkit, at all of them", () => issuer.mint({ aud: `${here.url}/notes/mcp` })],
    ["without an audience", () => issuer.mint({})],
    ["without a subject", () => issuer.mint({ aud: mcp(), sub: undefined } as unknown as JWTPayload)],
    ["of another issuer", () => issuer.mint({ aud: mcp(), iss: `${issuer.url}/` })],
    ["an ID token's kind", () => issuer.mint({ aud: mcp() }, { typ: "id+jwt" })],
    ["under a key that was never published", () => forged({ alg: "ES256" })],
    ["without a signature", () => `${Buffer.from('{"alg":"none"}').toString("base64url")}.e30.`],
    ["with another's signature", async () => (await issuer.mint({ aud: mcp() })).replace(/.{8}$/, "AAAAAAAA")],
    ["opaque", () => "2YotnFZFEjr1zCsicMWpAA"],
    ["three parts that are no JWT", () => "abc.def.ghi"],
    ["a header that is not an object", () => `${Buffer.from("[]").toString("base64url")}.e30.AA`],
    ["a type that is not a string", () => `${Buffer.from('{"alg":"ES256","typ":5}').toString("base64url")}.e30.AA`],
    ["two tokens", async () => `${await issuer.mint({ aud: mcp() })}, Bearer x`],
  ];
  it.each(BAD)("%s: 401, without the reason", async (_, make) => {
    // MCP, Token Handling: "Invalid or expired tokens MUST receive a HTTP 401 response."
    await expectInvalid(await send(mcp(), "POST", bearer(await make()), LIST));
  });

  it('in another scheme is ignored (RFC 6750, section 3: "Bearer")', async () => {
    await expectInvalid(await send(mcp(), "POST", { authorization: "Basic YTpi" }, LIST));
  });

  async function expectInvalid(answer: Answer): Promise<void> {
    expect(answer.status).toBe(401);
    expect(parseChallenge(answer.headers.get("www-authenticate")).params.error).toBe("invalid_token");
    expect(JSON.parse(answer.text).error.message).toBe("The credential is not valid here");
  }

  async function forged(header: { alg: string }): Promise<string> {
    const { privateKey } = await generateKeyPair(header.alg);
    const claims = { iss: issuer.url, sub: "ada", aud: mcp(), iat: NOW, exp: NOW + 300 };
    return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
  }
});

describe("a valid token", () => {
  it.each([
    ["the endpoint", "/mcp", "/mcp"],
    ["a toolkit's endpoint, there", "/notes/mcp", "/notes/mcp"],
    ["the endpoint with a slash, without it", "/mcp/", "/mcp"],
    ["a toolkit's endpoint with a slash, there", "/notes/mcp/", "/notes/mcp/"],
    ["all of it, at a toolkit", "/mcp", "/notes/mcp"],
    ["the whole deployment", "", "/notes/mcp"],
    ["the whole deployment, with a slash (RFC 3986, section 6.2.3)", "/", "/mcp"],
  ])("for %s opens it (RFC 8707, section 2)", async (_, aud, path) => {
    for (const audience of [here.url + aud, ["https://elsewhere.example", here.url + aud]]) {
      const token = await issuer.mint({ aud: audience });
      expect((await send(here.url + path, "POST", bearer(token), LIST)).status).toBe(200);
    }
  });

  it("opens every protocol and method, and is required each time", async () => {
    const token = await issuer.mint({ aud: here.url });
    for (const endpoint of ENDPOINTS.filter(({ path }) => !path.startsWith("/nothing"))) {
      expect([endpoint.path, (await callEndpoint(endpoint, bearer(token))).status]).not.toEqual([endpoint.path, 401]);
    }
  });

  it('may use any case for "Bearer" (RFC 9110, section 11.1: "case-insensitive token")', async () => {
    const token = await issuer.mint({ aud: `${here.url}/mcp` });
    for (const scheme of ["bearer", "BEARER"]) {
      const answer = await send(`${here.url}/mcp`, "POST", { authorization: `${scheme} ${token}` }, LIST);
      expect(answer.status).toBe(200);
    }
  });

  it("may spell the audience's scheme and host in capitals", async () => {
    const host = "tools.example.test";
    const token = await issuer.mint({ aud: "HTTP://Tools.Example.test/mcp" });
    expect((await send(`${here.url}/mcp`, "POST", { host, ...bearer(token) }, LIST)).status).toBe(200);
  });
});

describe("a call of a tool that demands scopes", () => {
  const CALLS: readonly Endpoint[] = [
    {
      path: "/mcp",
      method: "POST",
      metadata: "/mcp",
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Notes_Erase", arguments: {} } },
    },
    {
      path: "/notes/mcp",
      method: "POST",
      metadata: "/notes/mcp",
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Notes_Erase", arguments: {} } },
    },
    { path: "/tools/call", method: "POST", metadata: "", body: { request: { tool_id: "Notes.Erase", input: {} } } },
    {
      path: "/notes/tools/call",
      method: "POST",
      metadata: "",
      body: { request: { tool_id: "Notes.Erase", input: {} } },
    },
    { path: "/opentool/call", method: "POST", metadata: "", body: { ...OPENTOOL_CALL, method: "Notes_Erase" } },
  ];
  const tokenWith = (scope: string) => issuer.mint({ aud: here.url, scope });

  it.each(CALLS)("at $path gets a challenge that names them (Runtime Insufficient Scope Errors)", async (endpoint) => {
    for (const [granted, kept] of [
      ["", ""],
      ["tools", "tools "],
      ["notes:write", ""],
      ['notes:writes notes:eras "quoted" tools', "tools "],
    ] as const) {
      const answer = await callEndpoint(endpoint, bearer(await tokenWith(granted)));
      // RFC 6750, section 3.1, insufficient_scope: 403, and "MAY include the scope attribute with the scope necessary".
      expect(answer.status).toBe(403);
      expect(parseChallenge(answer.headers.get("www-authenticate")).params).toEqual({
        realm: "trivet",
        error: "insufficient_scope",
        // "SHOULD include all scopes required for the current operation in a single challenge"; and (2025-11-25, Scope
        // Challenge Handling) "both existing relevant scopes and newly required scopes".
        scope: `${kept}notes:write notes:erase`,
        resource_metadata: here.url + METADATA + endpoint.metadata,
      });
    }
  });

  it.each(CALLS)("at $path succeeds with all of them", async (endpoint) => {
    expect((await callEndpoint(endpoint, bearer(await tokenWith("x notes:erase notes:write")))).status).toBe(200);
  });

  it.each(CALLS)("at $path by an anonymous caller gets a challenge without an error", async (endpoint) => {
    const answer = await callEndpoint(endpoint, {}, open);
    expect(answer.status).toBe(401);
    const { params } = parseChallenge(answer.headers.get("www-authenticate"));
    expect(params.scope).toBe("notes:write notes:erase");
    expect(params).not.toHaveProperty("error");
  });
});

function namesOf({ headers }: Answer): string[] {
  return [...headers.keys()].sort();
}
