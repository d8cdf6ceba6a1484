/** What anyone can make the Worker fetch by using a URL as client id (client id metadata documents). */
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { base64url, ecdsa, forge, now } from "../../support/node/attacks/tokens.ts";
import { Attempt, Browser, clientAt, documentOf, signIn } from "../../support/node/sign-in/person.ts";
import { openPlace, type Place } from "../../support/node/sign-in/place.ts";

let place: Place;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place?.stop());

/** Calls both endpoints that look up a client. Returns their statuses, and the URLs fetched meanwhile. */
async function askBoth(id: string, more: Record<string, string> = {}) {
  const before = place.fetched.length;
  const attempt = new Attempt(place.url, clientAt(id));
  const page = await new Browser(place.url).open(attempt.query());
  const token = await attempt.exchange("a:b:c", more);
  return { statuses: [page.status, token.status], body: token.body, fetched: place.fetched.slice(before) };
}

describe("a client id that leads inside a network is not fetched", () => {
  it.each([
    ...["https://127.0.0.1/app.json", "https://10.0.0.5:8443/app.json", "https://169.254.169.254/latest/meta-data"],
    ...["https://[::1]/app.json", "https://[::ffff:10.0.0.1]/app.json", "https://2130706433/app.json"],
    ...["https://localhost/app.json", "https://router.local/app.json", "HTTPS://metadata.google.internal/app.json"],
  ])("%s", async (id) => {
    place.publish(new URL(id).href, documentOf(id));
    expect(await askBoth(id)).toMatchObject({ statuses: [400, 401], body: { error: "invalid_client" }, fetched: [] });
  });
});

describe("a client id is fetched from its URL", () => {
  it("if it is public, as a control for the tests above", async () => {
    const id = "https://client.example/app.json";
    place.publish(id, documentOf(id));
    const { statuses, fetched } = await askBoth(id);
    expect([statuses, fetched]).toEqual([
      [200, 400],
      [id, id, id],
    ]);
  });

  it.each(["https://10.0.0.5/app.json", "http://localhost/app.json", "https://other.example/app.json"])(
    "and not at %s, where a redirect leads",
    async (to) => {
      const id = `https://hops.example/${encodeURIComponent(to)}.json`;
      place.redirect(id, to);
      place.publish(to, documentOf(id));
      expect(await askBoth(id)).toMatchObject({ statuses: [400, 401], fetched: [id, id] });
    },
  );
});

describe("a client's keys are fetched in the same way", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const assert = (id: string, audience: string) => {
    const claims = { iss: id, sub: id, aud: audience, jti: crypto.randomUUID(), iat: now(), exp: now() + 60 };
    return forge({ alg: "ES256", typ: "JWT", kid: "one" }, claims, ecdsa(privateKey));
  };

  it.each([
    ["outside", "https://keys.example/jwks.json", ["https://keys.example/jwks.json"]],
    ["inside a network", "https://10.0.0.5/jwks.json", []],
    ["by a redirect to inside", "https://keys.example/hop", ["https://keys.example/hop"]],
  ])("%s", async (_, jwks_uri, expected) => {
    const id = `https://client.example/${base64url(jwks_uri)}.json`;
    const method = { token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "ES256" };
    place.publish(id, documentOf(id, { ...method, jwks_uri }));
    place.redirect("https://keys.example/hop", "https://10.0.0.5/jwks.json");
    const { fetched } = await askBoth(id, {
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assert(id, place.url),
    });
    expect(fetched.filter((url) => url !== id)).toEqual(expected);
  });

  it("are kept, and dropped from memory after 16 requests: anyone may have them fetched", async () => {
    const method = { token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "ES256" };
    const keysOf = (client: number) => `https://keys.example/${client}.json`;
    const ask = async (client: number) => {
      const id = `https://client.example/many/${client}.json`;
      place.publish(id, documentOf(id, { ...method, jwks_uri: keysOf(client) }));
      place.publish(keysOf(client), { keys: [] });
      await new Attempt(place.url, clientAt(id)).exchange("a:b:c", {
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: assert(id, place.url),
      });
      return place.fetched.filter((url) => url === keysOf(client)).length;
    };
    // Once more if one of these is a 16th request.
    for (let times = 0; times < 4; times++) expect(await ask(0)).toBeLessThanOrEqual(2);
    const before = await ask(0);
    for (let client = 1; client <= 16; client++) await ask(client);
    expect(await ask(0)).toBe(before + 1);
  });

  it("and a replayed refresh token ends its grant, also if only the assertion names the client", async () => {
    const jwks_uri = "https://keys.example/mine.json";
    const id = "https://client.example/reuse.json";
    const method = { token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "ES256" };
    place.publish(id, documentOf(id, { ...method, jwks_uri }));
    const jwk = createPublicKey(privateKey).export({ format: "jwk" });
    place.publish(jwks_uri, { keys: [{ ...jwk, kid: "one", alg: "ES256", use: "sig" }] });
    const attempt = new Attempt(place.url, clientAt(id));
    const code = await signIn(place.url, attempt, (await place.makeKey()).text);
    const asserted = () => ({
      client_id: undefined,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assert(id, place.url),
    });
    const first = (await attempt.exchange(code, asserted())).body;
    const refresh = async ({ refresh_token }: { refresh_token: string }) =>
      (await attempt.token({ grant_type: "refresh_token", refresh_token, ...asserted() })).body;
    // Each with an assertion of its own.
    const [second, alike] = await Promise.all([refresh(first), refresh(first)]);
    expect(alike.refresh_token).toBe(second.refresh_token);
    const third = await refresh(alike);
    expect(third).toHaveProperty("refresh_token");
    expect(await refresh(first)).toMatchObject({ error: "invalid_grant" });
    expect(await refresh(third)).toMatchObject({ error: "invalid_grant" });
  });
});

describe("an anonymous caller that makes the token endpoint fetch is rate limited, with OAuth's error shape", () => {
  let busy: Place;
  beforeAll(async () => {
    busy = await place.again({ limited: true });
  });
  afterAll(() => busy?.stop());

  const idOf = (index: number) => `https://victim.example/${index}.json`;
  const post = (form: [string, string][], headers: Record<string, string> = {}) =>
    fetch(`${busy.url}/oauth/token`, {
      method: "POST",
      headers,
      body: new URLSearchParams([["grant_type", "refresh_token"], ["refresh_token", "a:b:c"], ...form]),
    });
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const assertion = (index: number) => `${base64url({ alg: "ES256" })}.${base64url({ iss: idOf(index) })}.x`;

  it.each<[string, (index: number) => Promise<Response>]>([
    ["a URL as client id", (index) => post([["client_id", idOf(index)]])],
    ["one that is spelled otherwise", (index) => post([["client_id", ` ${idOf(index).replace("https", "HTTPS")}`]])],
    [
      "one after an empty one",
      (index) =>
        post([
          ["client_id", ""],
          ["client_id", idOf(index)],
        ]),
    ],
    ["HTTP Basic", (index) => post([], { authorization: `Basic ${btoa(`${encodeURIComponent(idOf(index))}:x`)}` })],
    [
      "an assertion",
      (index) =>
        post([
          ["client_assertion", assertion(index)],
          ["client_assertion_type", type],
        ]),
    ],
  ])("named by %s", async (_, send) => {
    const before = busy.fetched.length;
    // A counter may restart in between, but 600 are more than any minute admits.
    for (let sent = 0; sent < 600; sent++) {
      const answer = await send(sent);
      if (answer.status !== 429) continue;
      expect(answer.headers.get("retry-after")).toBe("60");
      expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
      expect(busy.fetched.length - before).toBeLessThanOrEqual(sent);
      // A registered client causes no fetches, and is not affected.
      expect((await post([["client_id", "nobody"]])).status).toBe(401);
      return;
    }
    expect.unreachable("600 requests, and no 429");
  });
});
