/**
 * The official MCP clients sign in without a person, with an authorization server that they find through the built
 * Worker's answers alone (MCP, basic/authorization).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Fork } from "../support/node/fork.ts";
import { KINDS, type Kind, signIn, V1, V2, V2_LEGACY } from "../support/node/oauth/clients.ts";
import { buildTools, type Deployment, deploy } from "../support/node/oauth/deployment.ts";
import { type Issuer, startIssuer } from "../support/node/oauth/issuer.ts";
import { CALLBACK, Visitor } from "../support/node/oauth/visitor.ts";

const DOCUMENT = "https://client.example.com/oauth/client.json";

let fork: Fork;
let issuer: Issuer;
let here: Deployment;
const others: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  fork = await buildTools();
  issuer = await startIssuer();
  here = await deploy(fork, { JWT_ISSUER: issuer.url, JWT_JWKS_URL: issuer.jwksUrl, OAUTH_SCOPES: "tools" });
});
afterAll(async () => {
  await Promise.all([here, issuer, ...others].map((one) => one?.stop()));
  fork?.remove();
});
beforeEach(() => void issuer.requests.splice(0));

const requestsTo = (endpoint: string) =>
  issuer.requests.filter((one) => one.endpoint === endpoint).map(({ params }) => params);

describe.each(KINDS)("$name, $revision", (kind) => {
  it("signs in, lists and calls (Authorization Flow Steps)", async () => {
    const connection = await signIn(kind, `${here.url}/mcp`, new Visitor());
    expect(await connection.list()).toEqual(["Clock_Time", "Notes_Erase", "Notes_Read", "Notes_Write"]);
    expect(await connection.call("Notes_Read")).toBe("read");
    await connection.close();
    expect(requestsTo("POST /register")).toHaveLength(1);
  });

  it("sends the resource and the scopes of the challenge, in both requests", async () => {
    const visitor = new Visitor();
    await (await signIn(kind, `${here.url}/mcp`, visitor)).close();
    // Resource Parameter Implementation: "MUST be included in both authorization requests and token requests".
    const resource = `${here.url}/mcp`;
    // Scope Selection Strategy, 1: "Use scope parameter from the initial WWW-Authenticate header".
    const expected = { resource, scope: "tools", code_challenge_method: "S256" };
    expect(requestsTo("GET /authorize")).toEqual([expect.objectContaining(expected)]);
    expect(requestsTo("POST /token")).toEqual([
      expect.objectContaining({ grant_type: "authorization_code", resource }),
    ]);
    expect(visitor.callback.get("iss")).toBe(issuer.url);
    expect(claimsOf(visitor)).toMatchObject({ iss: issuer.url, aud: resource, scope: "tools" });
  });

  it("signs in to one toolkit, and its token is valid nowhere else (Token Handling)", async () => {
    const visitor = new Visitor();
    const connection = await signIn(kind, `${here.url}/notes/mcp`, visitor);
    expect(await connection.list()).toEqual(["Notes_Erase", "Notes_Read", "Notes_Write"]);
    expect(await connection.call("Notes_Read")).toBe("read");
    await connection.close();
    expect(claimsOf(visitor)).toMatchObject({ aud: `${here.url}/notes/mcp` });
    // "MCP servers MUST only accept tokens that are valid for use with their own resources."
    for (const path of ["/clock/mcp", "/mcp", "/tools", "/clock/tools", "/opentool/load"]) {
      const answer = await fetch(here.url + path, {
        headers: { authorization: `Bearer ${visitor.kept?.access_token}` },
      });
      expect([path, answer.status]).toEqual([path, 401]);
      await answer.body?.cancel();
    }
  });

  it("renews an expired token, and goes on (Refresh Tokens)", async () => {
    const visitor = new Visitor();
    const connection = await signIn(kind, `${here.url}/mcp`, visitor);
    const first = visitor.kept;
    await expire(visitor);
    // Token Handling: "Invalid or expired tokens MUST receive a HTTP 401 response."
    expect(await connection.call("Notes_Read")).toBe("read");
    await connection.close();
    expect(requestsTo("POST /token").map(({ grant_type }) => grant_type)).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
    expect(visitor.kept?.refresh_token).not.toBe(first?.refresh_token);
    expect(visitor.sentTo).toHaveLength(1);
  });

  it("signs in again when its refresh token is no longer valid", async () => {
    const visitor = new Visitor();
    const connection = await signIn(kind, `${here.url}/mcp`, visitor);
    await expire(visitor);
    visitor.kept = { ...required(visitor.kept), refresh_token: "spent" };
    // The issuer answers invalid_grant: the client drops its tokens and sends its user there.
    await expect(connection.call("Notes_Read")).rejects.toThrow("Unauthorized");
    await connection.finishAuth();
    expect(await connection.call("Notes_Read")).toBe("read");
    await connection.close();
    expect(visitor.sentTo).toHaveLength(2);
  });

  it("finds an issuer with a path, that supports only OpenID Connect Discovery (Authorization Server Discovery)", async () => {
    const tenant = await startIssuer({ path: "/tenant1", discovery: "openid" });
    const there = await deploy(fork, { JWT_ISSUER: tenant.url, JWT_JWKS_URL: tenant.jwksUrl });
    others.push(tenant, there);
    const connection = await signIn(kind, `${there.url}/mcp`, new Visitor());
    expect(await connection.call("Clock_Time")).toBe("noon");
    await connection.close();
  });

  it("uses its metadata document if the issuer accepts one (Client ID Metadata Documents)", async () => {
    const taker = await startIssuer({ documents: { [DOCUMENT]: { redirect_uris: [CALLBACK] } } });
    const there = await deploy(fork, { JWT_ISSUER: taker.url, JWT_JWKS_URL: taker.jwksUrl });
    others.push(taker, there);
    const connection = await signIn(kind, `${there.url}/mcp`, new Visitor(DOCUMENT));
    expect(await connection.call("Clock_Time")).toBe("noon");
    await connection.close();
    expect(taker.requests.map(({ endpoint }) => endpoint)).toEqual(["GET /authorize", "POST /token"]);
    expect(taker.requests[0]?.params.client_id).toBe(DOCUMENT);
  });

  it("gets 429, and does not wait and retry itself", async () => {
    const there = await deploy(fork, {
      JWT_ISSUER: issuer.url,
      JWT_JWKS_URL: issuer.jwksUrl,
      RATE_PER_MINUTE: "10",
    });
    others.push(there);
    const connection = await signIn(kind, `${there.url}/mcp`, new Visitor());
    const calls = await Promise.allSettled(Array.from({ length: 12 }, () => connection.call("Clock_Time")));
    const failed = calls.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(failed.length).toBeGreaterThan(0);
    for (const reason of failed) expect(String(reason.message)).toContain("Over 10 requests a minute");
    await connection.close();
  });
});

describe("stepping up (Step-Up Authorization Flow)", () => {
  it.each(KINDS.filter((kind) => kind !== V1))("$name, $revision, steps up automatically", async (kind) => {
    const visitor = new Visitor();
    const connection = await signIn(kind, `${here.url}/mcp`, visitor);
    // "Determine required scopes by computing the union": of the token's scopes and the challenge's.
    await expect(connection.call("Notes_Erase")).rejects.toThrow("Unauthorized");
    expect(new Set(visitor.sentTo[1]?.searchParams.get("scope")?.split(" "))).toEqual(
      new Set(["tools", "notes:write", "notes:erase"]),
    );
    expect(visitor.sentTo[1]?.searchParams.get("resource")).toBe(`${here.url}/mcp`);
    await connection.finishAuth();
    // The challenge named all scopes, so one step is enough for both tools.
    expect(await connection.call("Notes_Erase")).toBe("erased");
    expect(await connection.call("Notes_Write")).toBe("written");
    expect(visitor.sentTo).toHaveLength(2);
    await connection.close();
  });

  it("v1 renews its token in vain if it has a refresh token", async () => {
    const visitor = new Visitor();
    const connection = await signIn(V1, `${here.url}/mcp`, visitor);
    // RFC 6749, section 6: a refresh cannot widen a grant. The client gets the same challenge again, and gives up.
    await expect(connection.call("Notes_Erase")).rejects.toMatchObject({ code: 403 });
    expect(requestsTo("POST /token").map(({ grant_type }) => grant_type)).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
    expect(visitor.sentTo).toHaveLength(1);
    await connection.close();
  });

  it("v1 steps up if it has no refresh token", async () => {
    const visitor = new Visitor();
    const connection = await signIn(V1, `${here.url}/mcp`, visitor);
    const { refresh_token: _, ...kept } = required(visitor.kept);
    visitor.kept = kept;
    await expect(connection.call("Notes_Erase")).rejects.toThrow("Unauthorized");
    // The client requests only the challenge's scopes, so the challenge includes those that the client had.
    expect(visitor.sentTo[1]?.searchParams.get("scope")).toBe("tools notes:write notes:erase");
    await connection.finishAuth();
    expect(await connection.call("Notes_Erase")).toBe("erased");
    await connection.close();
  });

  it("works on a toolkit's path, for that toolkit's resource", async () => {
    const visitor = new Visitor();
    const connection = await signIn(V2, `${here.url}/notes/mcp`, visitor);
    await expect(connection.call("Notes_Write")).rejects.toThrow("Unauthorized");
    expect(visitor.sentTo[1]?.searchParams.get("resource")).toBe(`${here.url}/notes/mcp`);
    await connection.finishAuth();
    expect(await connection.call("Notes_Write")).toBe("written");
    await connection.close();
  });

  describe("begins with a 401 if anonymous callers are allowed: they must sign in when a tool requires a scope", () => {
    let open: Deployment;
    beforeAll(async () => {
      open = await deploy(fork, { PUBLIC: "true", JWT_ISSUER: issuer.url, JWT_JWKS_URL: issuer.jwksUrl });
      others.push(open);
    });

    const stepUp = async (kind: Kind) => {
      const visitor = new Visitor();
      const connection = kind.open(`${open.url}/mcp`, visitor);
      await connection.connect();
      expect(await connection.call("Notes_Read")).toBe("read");
      await expect(connection.call("Notes_Write")).rejects.toThrow("Unauthorized");
      expect(visitor.sentTo[0]?.searchParams.get("scope")).toBe("notes:write");
      await connection.finishAuth();
      expect(await connection.call("Notes_Write")).toBe("written");
      await connection.close();
    };

    it.each([V2])("$name, $revision", stepUp);

    it.each([V1, V2_LEGACY])("$name, $revision", stepUp);
  });
});

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("It was to be there");
  return value;
}

/** The claims of the access token. */
function claimsOf({ kept }: Visitor): Record<string, unknown> {
  const [, claims = ""] = required(kept).access_token.split(".");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}

/** Replaces the access token with the same token, expired. */
async function expire(visitor: Visitor): Promise<void> {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { ...claimsOf(visitor), iat: now - 600, exp: now - 300 };
  visitor.kept = { ...required(visitor.kept), access_token: await issuer.mint(claims) };
}
