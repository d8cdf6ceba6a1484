/** Signing in with the Worker alone, from discovery to revocation (OAuth 2.1; MCP, basic/authorization). */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { MadeKey } from "../../../src/cli/keys/make.ts";
import { Attempt, Browser, type Client, call, REDIRECT, register, signIn } from "../../support/node/sign-in/person.ts";
import { openWithClient, type Place } from "../../support/node/sign-in/place.ts";

let place: Place;
let url: string;
let owner: MadeKey;
let client: Client;
beforeAll(async () => {
  ({ place, url, client } = await openWithClient());
  owner = await place.makeKey();
});
afterAll(() => place?.stop());

describe("discovery", () => {
  it("leads from the challenge to the authorization server", async () => {
    const refused = await call(url, "", "Post_Weigh");
    expect(refused.status).toBe(401);
    const metadata = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1] ?? "";
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: `${url}/mcp`,
      authorization_servers: [url],
    });
    const server = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
    expect(server).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/oauth/token`,
      registration_endpoint: `${url}/oauth/register`,
      revocation_endpoint: `${url}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ["tools"],
    });
  });

  it("does not reveal which toolkits exist", async () => {
    const text = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).text();
    expect(JSON.parse(text).protected_resources).toEqual([`${url}/mcp`, url]);
    expect(text).not.toContain("/vault");
  });

  it.each(["/.well-known/oauth-authorization-server", "/oauth/token", "/oauth/register"])(
    "lets pages of any origin use %s",
    async (path) => {
      const headers = { origin: "https://inspector.example", "access-control-request-method": "POST" };
      const preflight = await fetch(url + path, { method: "OPTIONS", headers });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("https://inspector.example");
      const answer = await fetch(url + path, { headers });
      expect(answer.headers.get("access-control-allow-origin")).toBe("https://inspector.example");
    },
  );

  it("is served over plain http on this machine only (OAuth 2.1, section 1.5)", async () => {
    const { hostname, port } = new URL(url);
    for (const path of ["/authorize", "/oauth/token", "/.well-known/oauth-authorization-server"]) {
      const status = await new Promise((resolve, reject) => {
        const sent = request({ hostname, port, path, headers: { host: "tools.example.com" } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on("error", reject).end();
      });
      expect([path, status]).toEqual([path, 400]);
    }
  });

  it("answers 405 with the allowed methods", async () => {
    for (const [path, method, allowed] of [
      ["/authorize", "PUT", "GET, POST"],
      ["/authorize", "OPTIONS", "GET, POST"],
      ["/oauth/token", "GET", "POST, OPTIONS"],
      ["/oauth/register", "GET", "POST, OPTIONS"],
      ["/.well-known/oauth-authorization-server", "POST", "GET, HEAD, OPTIONS"],
    ] as const) {
      const answer = await fetch(url + path, { method });
      expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, allowed]);
    }
  });
});

describe("the whole flow", () => {
  it("ends with a token that calls tools, is renewed, and is revoked", async () => {
    const attempt = new Attempt(url, client);
    const browser = new Browser(url);
    const first = await browser.open(attempt.query({ scope: "tools post.read" }));
    expect(first.status).toBe(200);
    const second = await browser.post({ handle: first.handle, key: owner.text });
    expect(second.status).toBe(200);
    const last = await browser.post({ handle: second.handle, decision: "allow", scope: ["tools", "post.read"] });
    expect(last.status).toBe(303);
    const { location } = last;
    expect(`${location?.origin}${location?.pathname}`).toBe(REDIRECT);
    expect(location?.searchParams.get("state")).toBe(attempt.state);
    expect(location?.searchParams.get("iss")).toBe(url);
    expect(browser.cookies.size, "cookies of finished pages are gone").toBe(0);

    const tokens = await attempt.exchange(location?.searchParams.get("code") ?? "");
    expect(tokens.body).toMatchObject({
      token_type: "bearer",
      expires_in: 3600,
      scope: "tools post.read",
      resource: `${url}/mcp`,
    });
    const answer = await call(url, tokens.body.access_token, "Post_Read");
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`key:${owner.id}`);
    const refused = await call(url, tokens.body.access_token, "Post_Send");
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope"');

    const renewed = await attempt.refresh(tokens.body.refresh_token);
    expect(renewed.body).toMatchObject({ scope: "tools post.read" });
    expect(renewed.body.refresh_token).not.toBe(tokens.body.refresh_token);
    expect((await call(url, renewed.body.access_token, "Post_Weigh")).status).toBe(200);
    // The answer may have been lost: the previous refresh token is valid until the new one is used.
    const again = await attempt.refresh(renewed.body.refresh_token);
    expect(again.status).toBe(200);
    expect((await attempt.refresh(tokens.body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });

    const fresh = again.body.access_token;
    expect((await attempt.token({ token: again.body.refresh_token })).status).toBe(200);
    expect((await attempt.refresh(again.body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await call(url, fresh, "Post_Weigh")).status).toBe(401);
  });

  it("works for a client with a secret, and without resource or scope", async () => {
    const old = await register(url, { token_endpoint_auth_method: "client_secret_post" });
    const attempt = new Attempt(url, old);
    const code = await signIn(url, attempt, owner.text, { ask: { resource: undefined } });
    expect((await attempt.exchange(code, { client_secret: "wrong" })).body).toMatchObject({ error: "invalid_client" });
    const tokens = await attempt.exchange(code);
    expect(tokens.body).toMatchObject({ scope: "", resource: `${url}/mcp` });
    expect((await call(url, tokens.body.access_token, "Post_Weigh")).status).toBe(200);
  });

  it("binds a token to the toolkit in the request", async () => {
    const attempt = new Attempt(url, client);
    const code = await signIn(url, attempt, owner.text, { ask: { resource: `${url}/post/mcp` } });
    const { body } = await attempt.exchange(code);
    expect(body.resource).toBe(`${url}/post/mcp`);
    expect((await call(url, body.access_token, "Post_Weigh", "/post/mcp")).status).toBe(200);
    expect((await call(url, body.access_token, "Post_Weigh")).status).toBe(401);
    expect((await call(url, body.access_token, "Vault_Open", "/vault/mcp")).status).toBe(401);
  });

  // RFC 9728, section 3.3: clients ask for the resource that the metadata names, which is the URL that they use.
  it.each(["/mcp", "/mcp/", "/post/mcp", "/post/mcp/"])("is for %s exactly as its metadata names it", async (path) => {
    const metadata = await fetch(`${url}/.well-known/oauth-protected-resource${path}`);
    const { resource } = (await metadata.json()) as { resource: string };
    expect(resource).toBe(url + path);
    const attempt = new Attempt(url, client);
    const code = await signIn(url, attempt, owner.text, { ask: { resource } });
    const { body } = await attempt.exchange(code, { resource });
    expect(body.resource).toBe(resource);
    expect((await call(url, body.access_token, "Post_Weigh", path)).status).toBe(200);
    expect((await call(url, body.access_token, "Vault_Open", "/vault/mcp")).status).toBe(path[1] === "p" ? 401 : 403);
  });

  it("lets two people with the same key and app both stay signed in", async () => {
    const tokens = [];
    for (let i = 0; i < 2; i++) {
      const attempt = new Attempt(url, client);
      tokens.push((await attempt.exchange(await signIn(url, attempt, owner.text))).body.access_token);
    }
    for (const token of tokens) expect((await call(url, token, "Post_Weigh")).status).toBe(200);
  });
});

describe("a token", () => {
  it("ends with its key: no call, no renewal, and its grant has ended", async () => {
    const key = await place.makeKey({ expires: Math.ceil(Date.now() / 1_000) + 600 });
    const attempt = new Attempt(url, client);
    const { body } = await attempt.exchange(await signIn(url, attempt, key.text));
    expect((await call(url, body.access_token, "Post_Weigh")).status).toBe(200);
    await place.ahead(602);
    onTestFinished(() => place.ahead(0));
    expect((await call(url, body.access_token, "Post_Weigh")).status).toBe(401);
    expect((await attempt.refresh(body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    const [, grant] = body.access_token.split(":");
    const left = (await place.stored()).filter((name) => name.includes(key.id) && !name.startsWith("token:"));
    expect(left).toEqual([`ended-grant:${key.id}:${grant}`, `key:${key.id}`]);
  });

  it.each(["", "a:b:c", `${"0".repeat(16)}:${"a".repeat(16)}:${"b".repeat(32)}`, "x".repeat(7_000)])(
    "is nothing for %j",
    async (token) => {
      expect((await call(url, token, "Post_Weigh")).status).toBe(401);
    },
  );
});
