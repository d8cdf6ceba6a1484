/** What someone without a key could learn, write or break at the authorization server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { base64url } from "../../support/node/attacks/tokens.ts";
import { Attempt, Browser, type Client, clientAt, documentOf, register } from "../../support/node/sign-in/person.ts";
import { openWithClient, type Place } from "../../support/node/sign-in/place.ts";

let place: Place;
let url: string;
let client: Client;
beforeAll(async () => {
  ({ place, url, client } = await openWithClient());
});
afterAll(() => place?.stop());

describe("an anonymous caller cannot find out toolkits with another spelling of their resource", () => {
  it.each([
    ["as it should be", (toolkit: string) => `${url}/${toolkit}/mcp`, 200],
    ["with a query", (toolkit: string) => `${url}/${toolkit}/mcp?x=1`, 200],
    ["in capitals", (toolkit: string) => `${url.replace("http", "HTTP")}/${toolkit}/mcp`, 200],
    ["with a dot", (toolkit: string) => `${url}/./${toolkit}/mcp?x=1`, 400],
    ["with a dot in percent", (toolkit: string) => `${url}/%2e/${toolkit}/mcp?x=1`, 400],
    ["with two dots", (toolkit: string) => `${url}/a/../${toolkit}/mcp?x=1`, 400],
    ["with a user", (toolkit: string) => `${url.replace("//", "//me@")}/${toolkit}/mcp?x=1`, 400],
    [
      "with another number for its host",
      (toolkit: string) => `${url.replace("127.0.0.1", "127.1")}/${toolkit}/mcp?x`,
      400,
    ],
    ["with a zero before its port", (toolkit: string) => `${url.replace(/:(\d+)$/, ":0$1")}/${toolkit}/mcp?x`, 400],
  ])("%s", async (_, spell, status) => {
    const seen = [];
    for (const toolkit of ["vault", "nowhere"]) {
      const attempt = new Attempt(url, client);
      const page = await new Browser(url).open(attempt.query({ resource: spell(toolkit) }));
      const { body } = await attempt.exchange("a:b:c", { resource: spell(toolkit) });
      seen.push([page.status, body.error]);
    }
    const error = status === 200 ? "invalid_grant" : "invalid_target";
    expect(seen).toEqual([
      [status, error],
      [status, error],
    ]);
  });
});

describe("an anonymous caller writes no lines to the log", () => {
  const forged = 'https://evil.example/app\n{"level":"info","message":"signed in","key":"forged"}\n';

  it.each<[string, () => Promise<unknown>]>([
    ["by the client id of a page", () => new Browser(url).open(new Attempt(url, clientAt(forged)).query())],
    ["by the client id of a form", () => new Attempt(url, clientAt(forged)).exchange("a:b:c")],
    [
      "by HTTP Basic",
      () =>
        fetch(`${url}/oauth/token`, {
          method: "POST",
          headers: { authorization: `Basic ${btoa(`${encodeURIComponent(forged)}:x`)}` },
          body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "a:b:c" }),
        }),
    ],
  ])("%s", async (_, send) => {
    const before = place.lines.length;
    await send();
    const lines = await place.loggedSince(before);
    expect(lines.join("\n")).not.toContain("forged");
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: "warning", message: "oauth library warned", reason: "CIMD fetch failed" }),
    );
  });
});

it("an app whose name is invisible characters is shown as one without a name", async () => {
  const blank = await register(url, { client_name: "\u3164\u2800" });
  const page = await new Browser(url).open(new Attempt(url, blank).query());
  expect(page.text).toContain("An app without a name");
});

describe("mistakes in what a client publishes are reported as the client's, not as server errors", () => {
  it("if its keys are invalid", async () => {
    const id = "https://client.example/null.json";
    const method = { token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "ES256" };
    place.publish(id, documentOf(id, { ...method, jwks_uri: "https://client.example/keys.json" }));
    place.publish("https://client.example/keys.json", { keys: [null] });
    const seconds = Math.floor(Date.now() / 1_000);
    const claims = { iss: id, sub: id, aud: url, jti: crypto.randomUUID(), iat: seconds, exp: seconds + 60 };
    const answer = await new Attempt(url, clientAt(id)).exchange("a:b:c", {
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: `${base64url({ alg: "ES256", typ: "JWT", kid: "one" })}.${base64url(claims)}.${"A".repeat(86)}`,
    });
    expect([answer.status, answer.body.error]).toEqual([401, "invalid_client"]);
    expect(place.fetched).toContain("https://client.example/keys.json");
  });

  it("if its redirects have changed before its user decides", async () => {
    const id = "https://client.example/moving.json";
    place.publish(id, documentOf(id));
    const key = await place.makeKey();
    const browser = new Browser(url);
    const first = await browser.open(new Attempt(url, clientAt(id)).query());
    const second = await browser.post({ handle: first.handle, key: key.text });
    place.publish(id, documentOf(id, { redirect_uris: ["https://client.example/elsewhere"] }));
    const last = await browser.post({ handle: second.handle, decision: "allow" });
    expect([last.status, last.location]).toEqual([400, undefined]);
    expect(last.text).toContain("This app cannot connect");
  });

  it("if the deployment cannot look up clients, because it lacks the compatibility flag", async () => {
    const plain = await place.again({
      change: (settings) => settings.replace(', "global_fetch_strictly_public"', ""),
    });
    try {
      const id = "https://client.example/app.json";
      plain.publish(id, documentOf(id));
      const attempt = new Attempt(plain.url, clientAt(id));
      const page = await new Browser(plain.url).open(attempt.query());
      const token = await attempt.exchange("a:b:c");
      expect([page.status, token.status, token.body.error]).toEqual([400, 401, "invalid_client"]);
      expect(plain.fetched).toEqual([]);
    } finally {
      await plain.stop();
    }
  });
});
