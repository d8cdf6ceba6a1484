/** Requests that sign-in refuses on its own page. Errors that go back to a client: self-registered.node.test.ts. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { MadeKey } from "../../../src/cli/keys/make.ts";
import {
  Attempt,
  Browser,
  type Client,
  call,
  clientAt,
  documentOf,
  register,
  signIn,
} from "../../support/node/sign-in/person.ts";
import { openWithClient, type Place } from "../../support/node/sign-in/place.ts";
import { cases } from "../../support/tier.ts";

let place: Place;
let url: string;
let owner: MadeKey;
let reader: MadeKey;
let client: Client;
beforeAll(async () => {
  ({ place, url, client } = await openWithClient());
  owner = await place.makeKey();
  reader = await place.makeKey({ scopes: ["post.read"], toolkits: ["post"] });
});
afterAll(() => place?.stop());

const WRONG = `trivet_${"0".repeat(16)}_${"A".repeat(43)}`;
/** Values that differ from page to page. */
const VARIES = /nonce="[^"]*"|value="[^"]*"|(state|code_challenge|resource)=[^"&]+/g;
const NOT_VALID = "This key is not valid here.";

/** Opens the page and enters the key. */
async function upTo(step: "key" | "consent", key: string, ask: Record<string, string | undefined> = {}) {
  const browser = new Browser(url);
  const attempt = new Attempt(url, client);
  const first = await browser.open(attempt.query(ask));
  const sheet = step === "key" ? first : await browser.post({ handle: first.handle, key });
  return { browser, attempt, first, sheet };
}

describe("an invalid request gets an error page, not a redirect", () => {
  it.each([
    ["another redirect", { redirect_uri: "https://evil.example/callback" }],
    ["no redirect", { redirect_uri: undefined }],
    ["a script as redirect", { redirect_uri: "javascript:alert(1)" }],
    ["an unknown client", { client_id: "nobody" }],
    ["no client", { client_id: undefined }],
    ["a client id longer than any", { client_id: "x".repeat(2_000) }],
  ])("%s", async (_, ask) => {
    const sheet = await new Browser(url).open(new Attempt(url, client).query(ask));
    expect([sheet.status, sheet.location]).toEqual([400, undefined]);
    expect(sheet.headers.get("content-type")).toMatch(/^text\/html/);
    expect(sheet.text).not.toMatch(/evil\.example|javascript:|xxxx/);
  });
});

describe("an invalid key", () => {
  it("is asked for again, with the same message whatever is wrong with it", async () => {
    const expired = await place.makeKey({ expires: 1 });
    const revoked = await place.makeKey();
    await place.revoke(revoked);
    const other = owner.text.slice(0, -1) + (owner.text.endsWith("A") ? "B" : "A");
    const pages = new Set<string>();
    for (const key of ["", "hunter2", WRONG, expired.text, revoked.text, other]) {
      const { sheet } = await upTo("consent", key);
      expect(sheet.status).toBe(403);
      expect(sheet.text).toContain(`role="alert" id="why">${NOT_VALID}<`);
      if (key) expect(sheet.text + [...sheet.headers]).not.toContain(key);
      pages.add(sheet.text.replace(VARIES, ""));
    }
    expect(pages.size).toBe(1);
  });

  it("may be followed by a valid one; spaces around it are ignored", async () => {
    const { browser, sheet } = await upTo("consent", WRONG);
    const second = await browser.post({ handle: sheet.handle, key: ` ${owner.text}\n` });
    expect(second.status).toBe(200);
    expect(second.text).toContain("Allow");
  });

  it("may be entered five times", async () => {
    const { browser, first } = await upTo("key", "");
    let { handle } = first;
    for (let i = 1; i <= 5; i++) {
      const sheet = await browser.post({ handle, key: WRONG });
      expect([sheet.status, sheet.handle !== ""]).toEqual([403, i < 5]);
      if (i < 5) handle = sheet.handle;
    }
    expect((await browser.post({ handle, key: owner.text })).status).toBe(400);
  });

  it("that expires between the pages grants nothing either", async () => {
    const key = await place.makeKey({ expires: Math.ceil(Date.now() / 1_000) + 200 });
    const { browser, sheet } = await upTo("consent", key.text);
    expect(sheet.status).toBe(200);
    await place.ahead(202);
    onTestFinished(() => place.ahead(0));
    expect((await browser.post({ handle: sheet.handle, decision: "allow" })).status).toBe(403);
  });
});

describe("a page", () => {
  it("is valid once", async () => {
    const { browser, first, sheet } = await upTo("consent", owner.text);
    expect((await browser.post({ handle: first.handle, key: owner.text })).status).toBe(400);
    const cookies = new Map(browser.cookies);
    expect((await browser.post({ handle: sheet.handle, decision: "allow" })).status).toBe(303);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const again = await browser.post({ handle: sheet.handle, decision: "allow" });
    expect([again.status, again.location]).toEqual([400, undefined]);
  });

  it("that has expired starts again from the beginning", async () => {
    const { browser, attempt, first } = await upTo("consent", owner.text, { scope: "post.read" });
    const stale = await browser.post({ handle: first.handle, key: owner.text });
    expect(stale.status).toBe(400);
    expect(stale.text).toContain("That page was out of date");
    expect(stale.text).toContain("<code>post.read</code>");
    const consent = await browser.post({ handle: stale.handle, key: owner.text });
    const { location } = await browser.post({ handle: consent.handle, decision: "allow", scope: "post.read" });
    expect((await attempt.exchange(location?.searchParams.get("code") ?? "")).body.scope).toBe("post.read");
  });

  it("is valid in its own browser only", async () => {
    const { first, sheet } = await upTo("consent", owner.text);
    const thief = new Browser(url);
    await thief.open(new Attempt(url, client).query());
    for (const form of [
      { handle: first.handle, key: owner.text },
      { handle: sheet.handle, decision: "allow" },
      { handle: "", key: owner.text },
      { key: owner.text, decision: "allow" },
    ]) {
      const sheet = await thief.post(form);
      expect([form, sheet.status, sheet.location]).toEqual([form, 400, undefined]);
      expect(sheet.text).not.toContain("Allow");
    }
  });

  it("for the key is not accepted as the one for the decision", async () => {
    const { browser, first } = await upTo("key", "");
    const sheet = await browser.post({ handle: first.handle, decision: "allow", scope: "vault.open", keyId: owner.id });
    expect([sheet.status, sheet.location]).toEqual([403, undefined]);
  });

  it("does not accept a very long form", async () => {
    expect((await new Browser(url).post({ handle: "x".repeat(20_000) })).status).toBe(413);
  });

  it("does not reveal the key, in storage either", async () => {
    const { browser, sheet } = await upTo("consent", owner.text);
    const done = await browser.post({ handle: sheet.handle, decision: "allow" });
    const secret = owner.text.slice(-43);
    for (const text of [sheet.text, String(done.location), [...sheet.headers, ...done.headers].join()]) {
      expect(text).not.toContain(secret);
    }
    expect((await place.stored()).join()).not.toContain(secret);
  });
});

describe("scopes", () => {
  const granted = async (key: MadeKey, ask: string, tick: string[]) => {
    const { browser, attempt, sheet } = await upTo("consent", key.text, { scope: ask });
    const done = await browser.post({ handle: sheet.handle, decision: "allow", scope: tick });
    return (await attempt.exchange(done.location?.searchParams.get("code") ?? "")).body.scope;
  };

  it.each([
    ["as ticked", "post.read post.send", ["post.read"], "post.read"],
    ["not what was not asked for", "post.read", ["post.read", "post.send"], "post.read"],
    ["not what there is not", "post.read admin", ["post.read", "admin"], "post.read"],
    ["none, if none is ticked", "post.read", [], ""],
  ])("are granted %s", async (_, ask, tick, scope) => {
    expect(await granted(owner, ask, tick)).toBe(scope);
  });

  it("never exceed the key's", async () => {
    const all = "tools post.read post.send vault.open";
    expect(await granted(reader, all, all.split(" "))).toBe("tools post.read");
  });

  it("cannot be added when the code is redeemed", async () => {
    const attempt = new Attempt(url, client);
    const code = await signIn(url, attempt, owner.text, { scopes: ["post.read"] });
    const { body } = await attempt.exchange(code, { scope: "post.read vault.open" });
    expect(body.scope).toBe("post.read");
    expect((await call(url, body.access_token, "Vault_Open")).status).not.toBe(200);
  });
});

describe("an existing scope cannot be told from an unknown one", () => {
  it.each(["", "tools "])("on the page that asks for a key (%j before it)", async (before) => {
    const pages = [];
    for (const scope of ["vault.open", "vault.shut"]) {
      const { sheet } = await upTo("key", "", { scope: before + scope });
      expect(sheet.text).toContain(scope);
      pages.push(
        sheet.text
          .replace(VARIES, "")
          .replace(/scope=[^"&]+/g, "")
          .replaceAll(scope, ""),
      );
    }
    expect(pages[0]).toBe(pages[1]);
  });

  it("in the metadata, which lists only what clients request first", async () => {
    for (const path of ["oauth-authorization-server", "oauth-protected-resource", "oauth-protected-resource/mcp"]) {
      const { scopes_supported } = (await (await fetch(`${url}/.well-known/${path}`)).json()) as Record<
        string,
        unknown
      >;
      expect([path, scopes_supported]).toEqual([path, ["tools"]]);
    }
  });
});

describe("a toolkit", () => {
  it("that a key may not use is like one that does not exist", async () => {
    const pages = [];
    for (const path of ["/vault/mcp", "/nowhere/mcp", "/vault/mcp/", "/nowhere/mcp/"]) {
      const { first, sheet } = await upTo("consent", reader.text, { resource: url + path });
      expect([first.status, sheet.status]).toEqual([200, 403]);
      pages.push(sheet.text.replace(VARIES, ""));
      const token = await new Attempt(url, client).exchange("a:b:c", { resource: url + path });
      expect(token.body).toMatchObject({ error: "invalid_grant" });
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).not.toContain(NOT_VALID);
  });
});

/** After this, a refresh token that was used gives no new one again (src/features/sign-in/overlap.ts). */
async function afterOverlap(): Promise<void> {
  await place.ahead(31);
  onTestFinished(() => place.ahead(0));
}

describe("several refreshes with one token at once", () => {
  const started = async (who = client) => {
    const attempt = new Attempt(url, who);
    return { attempt, ...(await attempt.exchange(await signIn(url, attempt, owner.text))).body };
  };

  it.each([
    ["a client without a secret", "none"],
    ["a client with one", "client_secret_post"],
  ])("get the same refresh token, which counts: %s", async (_, method) => {
    const who = await register(url, { token_endpoint_auth_method: method });
    const { attempt, refresh_token } = await started(who);
    const all = await Promise.all(Array.from({ length: 6 }, () => new Attempt(url, who).refresh(refresh_token)));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(all.map(({ body }) => body.refresh_token)).size).toBe(1);
    const [{ body: tokens, headers }] = all as [(typeof all)[0]];
    for (const each of all) {
      // RFC 6749, section 5.1: "MUST include the HTTP "Cache-Control" response header field with a value of "no-store"".
      expect(each.headers.get("cache-control")).toContain("no-store");
      expect(each.headers.get("content-type")).toBe(headers.get("content-type"));
    }
    for (const { body } of all) expect((await call(url, body.access_token, "Post_Weigh")).status).toBe(200);
    await afterOverlap();
    const next = await attempt.refresh(tokens.refresh_token);
    expect(next.status).toBe(200);
    // Each token has half a minute of its own.
    expect((await attempt.refresh(tokens.refresh_token)).body.refresh_token).toBe(next.body.refresh_token);
  });

  it("soon after one another count, and later end the grant (RFC 9700, section 4.14.2)", async () => {
    const { attempt, refresh_token } = await started();
    const first = await attempt.refresh(refresh_token);
    await place.ahead(29);
    onTestFinished(() => place.ahead(0));
    expect((await attempt.refresh(refresh_token)).body.refresh_token).toBe(first.body.refresh_token);
    const second = await attempt.refresh(first.body.refresh_token);
    expect(second.status).toBe(200);
    await place.ahead(31);
    expect((await attempt.refresh(refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await attempt.refresh(second.body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await call(url, second.body.access_token, "Post_Weigh")).status).toBe(401);
  });

  it("are answered only to the client that may use the token", async () => {
    const secretive = await register(url, { token_endpoint_auth_method: "client_secret_post" });
    const { attempt, refresh_token } = await started(secretive);
    const first = await attempt.refresh(refresh_token);
    expect(first.status).toBe(200);
    for (const { secret, id } of [
      { id: secretive.id, secret: undefined },
      { id: secretive.id, secret: "x".repeat(32) },
      { id: client.id, secret: undefined },
    ]) {
      const form = { client_id: id, client_secret: secret, grant_type: "refresh_token", refresh_token };
      const answer = await attempt.token(form);
      expect([answer.status, answer.body.access_token]).toEqual([id === client.id ? 400 : 401, undefined]);
    }
    expect((await attempt.refresh(refresh_token)).body.refresh_token).toBe(first.body.refresh_token);
  });

  it("may differ: each gets the access token that it asks for", async () => {
    const { attempt, refresh_token, scope } = await started();
    const [one = ""] = scope.split(" ");
    const form = { client_id: client.id, grant_type: "refresh_token", refresh_token };
    const wishes = [{}, { scope: one }, { resource: `${url}/mcp` }, { unknown: "member" }];
    const all = await Promise.all(wishes.map((wish) => attempt.token({ ...form, ...wish })));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(all.map(({ body }) => body.scope)).toEqual([scope, one, scope, scope]);
    expect(new Set(all.map(({ body }) => body.refresh_token)).size).toBe(1);
    await afterOverlap();
    expect((await attempt.refresh(all[1]?.body.refresh_token)).status).toBe(200);
    expect((await call(url, all[0]?.body.access_token, "Post_Weigh")).status).toBe(200);
  });

  it("leave nothing in the store that gives a token", async () => {
    const { attempt, refresh_token } = await started();
    const { body } = await attempt.refresh(refresh_token);
    const stored = (await place.stored()).join();
    for (const token of [refresh_token, body.refresh_token, body.access_token]) {
      expect(stored).not.toContain(token.slice(-32));
    }
  });
});

describe("the token endpoint", () => {
  it.each([
    ["a wrong verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["no verifier", { code_verifier: undefined }, "invalid_request"],
    ["another redirect", { redirect_uri: "https://evil.example/" }, "invalid_grant"],
    ["another resource", { resource: "https://elsewhere.example" }, "invalid_target"],
    ["another grant", { grant_type: "password" }, "unsupported_grant_type"],
    ["no client", { client_id: undefined }, "invalid_client"],
    ["an endless client id", { client_id: "x".repeat(2_000) }, "invalid_client"],
    ["an endless code", { code: `${"x".repeat(2_000)}:b:c` }, "invalid_grant"],
  ])("refuses %s", async (_, more, error) => {
    const attempt = new Attempt(url, client);
    const answer = await attempt.exchange(await signIn(url, attempt, owner.text), more);
    expect(answer.status).toBe(error === "invalid_client" ? 401 : 400);
    expect(answer.body).toMatchObject({ error });
    expect(answer.headers.get("cache-control")).toContain("no-store");
  });

  it("accepts a code once; the second time ends its grant", async () => {
    const attempt = new Attempt(url, client);
    const code = await signIn(url, attempt, owner.text);
    const { body } = await attempt.exchange(code);
    expect((await attempt.exchange(code)).body).toMatchObject({ error: "invalid_grant" });
    expect((await call(url, body.access_token, "Post_Weigh")).status).toBe(401);
    expect((await attempt.refresh(body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  });

  it("ends the grant if a replaced refresh token is used again (RFC 9700, section 4.14.2)", async () => {
    const thief = new Attempt(url, client);
    const attempt = new Attempt(url, client);
    const first = (await attempt.exchange(await signIn(url, attempt, owner.text))).body;
    const second = (await attempt.refresh(first.refresh_token)).body;
    const third = (await attempt.refresh(second.refresh_token)).body;
    // Guessing cannot end a grant: its id is known only to those who hold, or held, one of its tokens.
    const other = new Attempt(url, client);
    const { body } = await other.exchange(await signIn(url, other, owner.text));
    const guess = first.refresh_token.replace(/:[^:]*:[^:]*$/, `:${"x".repeat(16)}:${"x".repeat(32)}`);
    expect((await thief.refresh(guess)).body).toMatchObject({ error: "invalid_grant" });
    expect((await call(url, third.access_token, "Post_Weigh")).status).toBe(200);

    expect((await thief.refresh(first.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await attempt.refresh(third.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await thief.refresh(second.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await other.refresh(body.refresh_token)).status).toBe(200);
  });

  it("ends the grant however often a thief has renewed the token since its owner got it", async () => {
    const attempt = new Attempt(url, client);
    const mine = (await attempt.exchange(await signIn(url, attempt, owner.text))).body;
    let stolen = mine;
    for (let i = 0; i < cases(20, 210); i++) stolen = (await attempt.refresh(stolen.refresh_token)).body;
    expect((await attempt.refresh(mine.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await call(url, stolen.access_token, "Post_Weigh")).status).toBe(401);
    expect((await attempt.refresh(stolen.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  });

  it.each([{}, { token_type_hint: "refresh_token" }])(
    "ends a grant if its client revokes a refresh token that a thief has renewed twice: %j",
    async (hint) => {
      const attempt = new Attempt(url, client);
      const mine = (await attempt.exchange(await signIn(url, attempt, owner.text))).body;
      const thief = new Attempt(url, client);
      const once = (await thief.refresh(mine.refresh_token)).body;
      const twice = (await thief.refresh(once.refresh_token)).body;
      // RFC 7009, section 2.1: an access token is revoked alone, whatever the hint.
      for (let times = 0; times < 2; times++)
        expect((await attempt.token({ token: once.access_token, ...hint })).status).toBe(200);
      const kept = (await thief.refresh(twice.refresh_token)).body;
      expect(kept).toHaveProperty("access_token");
      expect((await attempt.token({ token: mine.refresh_token, ...hint })).status).toBe(200);
      expect((await thief.refresh(kept.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
      expect((await call(url, kept.access_token, "Post_Weigh")).status).toBe(401);
    },
  );

  it("ends a grant for good, even if a refresh under way writes it and its tokens again", async () => {
    const attempt = new Attempt(url, client);
    const first = (await attempt.exchange(await signIn(url, attempt, owner.text))).body;
    const second = (await attempt.refresh(first.refresh_token)).body;
    const [user, grant] = first.refresh_token.split(":");
    const names = (await place.stored()).filter((name) => name.includes(`${user}:${grant}`));
    expect(names.map((name) => name.split(":")[0])).toEqual(["grant", "token", "token"]);
    const texts = await Promise.all(names.map((name) => place.kv.get(name, "text")));
    expect((await attempt.token({ token: second.refresh_token })).status).toBe(200);
    await Promise.all(names.map((name, at) => place.kv.put(name, String(texts[at]))));
    for (const { refresh_token, access_token } of [first, second]) {
      expect((await attempt.refresh(refresh_token)).body).toMatchObject({ error: "invalid_grant" });
      expect((await call(url, access_token, "Post_Weigh")).status).toBe(401);
    }
  });

  it("ends a thief's tokens when the owner uses the refresh token that replaced the stolen one", async () => {
    const attempt = new Attempt(url, client);
    const first = (await attempt.exchange(await signIn(url, attempt, owner.text))).body;
    const mine = (await attempt.refresh(first.refresh_token)).body;
    await afterOverlap();
    // The previous token is still accepted, for a client that did not get the answer: here the client is a thief.
    const stolen = (await new Attempt(url, client).refresh(first.refresh_token)).body;
    expect((await attempt.refresh(mine.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await attempt.refresh(stolen.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect((await call(url, stolen.access_token, "Post_Weigh")).status).toBe(401);
  });

  it.each([470, 487, 500])(
    "refuses a refresh token whose key id has %d characters: KV takes no name of over 512 bytes",
    async (length) => {
      const long = `${"k".repeat(length)}:${"g".repeat(16)}:${"x".repeat(32)}`;
      const attempt = new Attempt(url, client);
      expect((await attempt.refresh(long)).body).toMatchObject({ error: "invalid_grant" });
      expect((await attempt.token({ token: long })).status).toBe(200);
    },
  );

  it("ends no grant for another client or for no client, even if they know its id", async () => {
    const attempt = new Attempt(url, client);
    const { body } = await attempt.exchange(await signIn(url, attempt, owner.text));
    const guess = body.refresh_token.replace(/[^:]*$/, "x".repeat(32));
    const refresh = { grant_type: "refresh_token", refresh_token: guess };
    const [other, secretive] = await Promise.all([
      register(url),
      register(url, { token_endpoint_auth_method: "client_secret_basic" }),
    ]);
    const send = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
      const sent = { method: "POST", body: new URLSearchParams(form).toString() };
      const type = { "content-type": "application/x-www-form-urlencoded" };
      return (await fetch(`${url}/oauth/token`, { ...sent, headers: { ...type, ...headers } })).status;
    };
    const basic = { authorization: `Basic ${btoa(`${secretive.id}:${secretive.secret}`)}` };
    expect(await send({ ...refresh, client_id: other.id })).toBe(400);
    expect(await send(refresh, basic)).toBe(400);
    // Errors for which the library answers before it authenticates the client.
    expect(await send({ ...refresh, client_id: client.id }, { "content-type": "text/plain" })).toBe(400);
    expect(await send({ ...refresh, client_id: client.id }, basic)).toBe(400);
    expect((await attempt.refresh(body.refresh_token)).status).toBe(200);
    expect((await attempt.refresh(guess)).body).toMatchObject({ error: "invalid_grant" });
    expect((await attempt.refresh(body.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
  });

  it.each([
    ["as it is", (id: string) => id],
    [
      "with %xx (RFC 6749, section 2.3.1)",
      (id: string) => id.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`),
    ],
  ])(
    "ends the grant of a client with a secret too, if its replaced token is used again, with its id spelled %s",
    async (_, spelled) => {
      const secretive = await register(url, { token_endpoint_auth_method: "client_secret_basic" });
      const attempt = new Attempt(url, secretive);
      const code = await signIn(url, attempt, owner.text);
      const headers = { authorization: `Basic ${btoa(`${spelled(secretive.id)}:${secretive.secret}`)}` };
      const send = async (form: Record<string, string>) =>
        (await fetch(`${url}/oauth/token`, { method: "POST", headers, body: new URLSearchParams(form) })).json();
      const exchange = { code, redirect_uri: secretive.redirect, code_verifier: attempt.verifier };
      // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
      const refresh = (token: any): Promise<any> =>
        send({ grant_type: "refresh_token", refresh_token: token.refresh_token });
      const first = await send({ grant_type: "authorization_code", ...exchange });
      const second = await refresh(first);
      const third = await refresh(second);
      expect(await refresh(first)).toMatchObject({ error: "invalid_grant" });
      expect(await refresh(third)).toMatchObject({ error: "invalid_grant" });
    },
  );

  it("gives a client nothing that belongs to another", async () => {
    const other = await register(url);
    const attempt = new Attempt(url, client);
    const code = await signIn(url, attempt, owner.text);
    expect((await attempt.exchange(code, { client_id: other.id })).body).toMatchObject({ error: "invalid_grant" });
    const { body } = await attempt.exchange(code);
    await attempt.token({ client_id: other.id, token: body.refresh_token });
    expect((await attempt.refresh(body.refresh_token)).status).toBe(200);
  });

  it("limits the body's size", async () => {
    const answer = await new Attempt(url, client).token({ grant_type: "x".repeat(20_000) });
    expect([answer.status, answer.body.error]).toEqual([413, "invalid_request"]);
  });
});

it.each(["/register", "/token"])("at %s, where clients of early revisions look, says where it is", async (path) => {
  const response = await fetch(url + path, { method: "POST", body: "{}" });
  expect(response.status).toBe(400);
  const { error_description } = (await response.json()) as { error_description: string };
  expect(error_description).toContain(`is at ${url}/oauth/register and ${url}/oauth/token`);
});

describe("registration", () => {
  const send = async (body: string) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/oauth/register`, { method: "POST", headers, body });
    return { status: response.status, body: (await response.json()) as { error: string } };
  };

  it.each([
    ["no JSON", "{", 400, "invalid_request"],
    ["no redirect", "{}", 400, "invalid_client_metadata"],
    ["a redirect in the clear", '{"redirect_uris":["http://app.example.com/"]}', 400, "invalid_client_metadata"],
    ["a script as redirect", '{"redirect_uris":["javascript:alert(1)"]}', 400, "invalid_client_metadata"],
    ["a book", JSON.stringify({ client_name: "x".repeat(20_000) }), 413, "invalid_request"],
  ])("refuses %s", async (_, body, status, error) => {
    const before = (await place.stored()).length;
    expect(await send(body)).toMatchObject({ status, body: { error } });
    expect((await place.stored()).length).toBe(before);
  });
});

describe("a redirect to an app on the user's machine (RFC 8252, section 7.1)", () => {
  const CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback";
  const registering = async (redirect_uris: string[], method = "none") => {
    const metadata = { client_name: "Some App", redirect_uris, token_endpoint_auth_method: method };
    const response = await fetch(`${url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(metadata),
    });
    const body = (await response.json()) as { client_id: string; error?: string };
    return { status: response.status, error: body.error, client: { id: body.client_id, redirect: "" } };
  };

  it.each([
    [CURSOR, "cursor://anysphere.cursor-mcp"],
    ["vscode://saoudrizwan.claude-dev/mcp-auth/callback/x", "vscode://saoudrizwan.claude-dev"],
    ["warp://mcp/oauth2callback", "warp://mcp"],
    ["com.example.app:/callback", "com.example.app:"],
    ["com.example.app://callback", "com.example.app://callback"],
  ])("%s signs in", async (redirect, place) => {
    const app = await register(url, { redirect_uris: [redirect] });
    const attempt = new Attempt(url, app);
    const first = await new Browser(url).open(attempt.query());
    expect(first.text).toContain(`<dd>${place} (this computer)</dd>`);
    expect(first.text).toContain("an app on your computer");
    const { body } = await attempt.exchange(await signIn(url, attempt, owner.text));
    expect((await call(url, body.access_token, "Post_Weigh")).status).toBe(200);
    // "Public native app clients MUST implement [...] PKCE" (section 6).
    const sheet = await new Browser(url).open(
      attempt.query({ code_challenge: undefined, code_challenge_method: undefined }),
    );
    expect([sheet.status, sheet.location]).toEqual([400, undefined]);
  });

  it.each([
    // The library's own list, and what a browser or a system does something else with. Section 8.4: a scheme "that
    // doesn't contain a period character SHOULD be rejected".
    ...["javascript:alert(1)", "JavaScript://x/%0aalert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd"],
    ...["mailto:a@example.com", "blob:https://app.example.com/x", "about:blank", "view-source:https://app.example.com"],
    ...["filesystem:x", "intent://x#Intent;end", "ms-msdt:/id", "search-ms:x", "tel:1", "ws://app.example.com/"],
    ...[
      "ftp://app.example.com/",
      "http://app.example.com/cb",
      "http://127.0.0.1.example.com/",
      "app:/cb",
      "cursorx:/y",
    ],
    ...[
      "https:evil.example/cb",
      "com.example.app:/cb#x",
      ".a:/cb",
      "a.:/cb",
      " javascript:alert(1)",
      "java\nscript:alert(1)",
      "//a.example/",
      "/cb",
    ],
  ])("never %j, alone", async (redirect) => {
    expect(await registering([redirect])).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
    });
  });

  // Section 8.5 excepts "per-instance secrets" of "Dynamic Client Registration" from what says that apps have none.
  it("may be of a client with a secret", async () => {
    expect((await registering([CURSOR], "client_secret_basic")).status).toBe(201);
  });

  it.each([
    ["another scheme", "ms-msdt:/id"],
    ["http elsewhere", "http://elsewhere.example/cb"],
  ])("may be listed beside another, but gets no code and no link: %s", async (_, redirect_uri) => {
    const { status, client } = await registering([redirect_uri, "https://app.example.com/cb"]);
    expect(status).toBe(201);
    // Neither as it should be, nor with a mistake that is answered with a link otherwise.
    for (const more of [{}, { code_challenge: undefined }, { response_type: "token" }, { resource: "mcp" }]) {
      const sheet = await new Browser(url).open(new Attempt(url, client).query({ redirect_uri, ...more }));
      expect([sheet.status, sheet.location]).toEqual([400, undefined]);
      expect(sheet.text).not.toMatch(/href|ms-msdt|elsewhere/);
    }
  });

  it("of a published client is held to the same", async () => {
    const id = "https://client.example/apps.json";
    place.publish(id, documentOf(id, { redirect_uris: ["ms-msdt:/id", CURSOR] }));
    const asking = (redirect_uri: string) =>
      new Browser(url).open(new Attempt(url, clientAt(id)).query({ redirect_uri }));
    expect([(await asking("ms-msdt:/id")).status, (await asking(CURSOR)).status]).toEqual([400, 200]);
  });
});

describe("more than 60 writing requests a minute", () => {
  it("are refused, each in its shape; tokens are still issued", async () => {
    const busy = await place.again({ limited: true });
    try {
      const visitor = await register(busy.url);
      const key = await busy.makeKey();
      const attempt = new Attempt(busy.url, visitor);
      const code = await signIn(busy.url, attempt, key.text);
      // A counter may restart in between, but 600 are more than any minute admits.
      let page = await new Browser(busy.url).open("");
      // Counters restart with each clock minute, which may happen here on a busy machine.
      for (let i = 0; i < 600 && page.status !== 429; i++) page = await new Browser(busy.url).open("");
      expect([page.status, page.headers.get("content-type")]).toEqual([429, "text/html; charset=utf-8"]);
      expect(page.headers.get("retry-after")).toBe("60");
      const registering = async () => {
        for (let i = 0; i < 600; i++) await register(busy.url);
      };
      await expect(registering()).rejects.toThrow("temporarily_unavailable");
      // Before it is read: a body that never ends would hold memory, and nobody who sends one needs a credential.
      const endless = new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode("{")) });
      const more = { method: "POST", body: endless, duplex: "half" } as RequestInit;
      expect((await fetch(`${busy.url}/oauth/register`, more)).status).toBe(429);
      expect((await attempt.exchange(code)).status).toBe(200);
    } finally {
      await busy.stop();
    }
  });
});
