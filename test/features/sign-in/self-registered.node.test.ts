/**
 * Anyone may register a client with any redirect. A person gets there only by following a link, or after granting
 * access (RFC 9700, section 4.11.2).
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Attempt,
  Browser,
  type Client,
  clientAt,
  documentOf,
  REDIRECT,
  register,
  type Sheet,
  unescaped,
} from "../../support/node/sign-in/person.ts";
import { openWithClient, type Place } from "../../support/node/sign-in/place.ts";

let place: Place;
let url: string;
let client: Client;
beforeAll(async () => {
  ({ place, url, client } = await openWithClient());
});
afterAll(() => place?.stop());

/** An error page with a link back to the client: there is no automatic redirect. */
function errorLink({ status, location, headers, text }: Sheet) {
  expect([location, headers.get("refresh")]).toEqual([undefined, null]);
  expect(text).not.toMatch(/<meta[^>]+http-equiv|<script|<form|<img|<iframe/i);
  const [href, ...others] = [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, address = ""]) => unescaped(address));
  expect(others).toEqual([]);
  const link = href === undefined ? undefined : new URL(href);
  return { status, to: link && link.origin + link.pathname, ...params(link) };
}
function params(location: URL | undefined) {
  const { error, state, iss } = Object.fromEntries(location?.searchParams ?? []);
  return { error, state, iss };
}

const MISTAKES = [
  ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
  ["plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
  ["a challenge that is not a hash", { code_challenge: "abc" }, "invalid_request"],
  ["another response type", { response_type: "token" }, "unsupported_response_type"],
  ["another's resource", { resource: "https://elsewhere.example/mcp" }, "invalid_target"],
  ["an invalid resource", { resource: "mcp" }, "invalid_target"],
] as const;

describe("a mistake of a self-registered client redirects nobody (RFC 9700, section 4.11.2)", () => {
  it.each(MISTAKES)("%s", async (_, ask, error) => {
    const attempt = new Attempt(url, client);
    const sheet = await new Browser(url).open(attempt.query(ask));
    expect(errorLink(sheet)).toEqual({ status: 400, to: REDIRECT, error, state: attempt.state, iss: url });
    expect(sheet.text).toContain("app.example.com");
  });

  it.each(MISTAKES)("%s, of a client that is a document", async (_, ask, error) => {
    const id = "https://client.example/app.json";
    place.publish(id, documentOf(id));
    const attempt = new Attempt(url, clientAt(id));
    const sheet = await new Browser(url).open(attempt.query(ask));
    expect(errorLink(sheet)).toEqual({ status: 400, to: REDIRECT, error, state: attempt.state, iss: url });
  });

  it("needs PKCE even with a secret", async () => {
    const attempt = new Attempt(url, await register(url, { token_endpoint_auth_method: "client_secret_basic" }));
    const sheet = await new Browser(url).open(
      attempt.query({ code_challenge: undefined, code_challenge_method: undefined }),
    );
    expect(errorLink(sheet)).toMatchObject({ status: 400, to: REDIRECT, error: "invalid_request" });
  });

  it("neither do Deny and Cancel: the page has a link", async () => {
    const browser = new Browser(url);
    const attempt = new Attempt(url, client);
    const first = await browser.open(attempt.query());
    const sheet = await browser.post({ handle: first.handle, key: (await place.makeKey()).text });
    const denied = await browser.post({ handle: sheet.handle, decision: "deny" });
    const expected = { to: REDIRECT, error: "access_denied", state: attempt.state, iss: url };
    expect(errorLink(denied)).toEqual({ status: 200, ...expected });
    const cancel = new URL(unescaped(/<a href="([^"]+)">Cancel/.exec(first.text)?.[1] ?? ""));
    expect({ to: cancel.origin + cancel.pathname, ...params(cancel) }).toEqual(expected);
  });
});
