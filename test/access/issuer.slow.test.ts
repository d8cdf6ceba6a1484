/** Checks the authorization server of these tests: it passes the official suite, and refuses what it must refuse. */

import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Issuer, startIssuer } from "../support/node/oauth/issuer.ts";
import { CALLBACK } from "../support/node/oauth/visitor.ts";
import { spawn } from "../support/node/processes.ts";

const SUITE = resolve(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance");
const CLIENT = "https://client.example.com/oauth/client.json";
const RESOURCE = "https://mcp.example.com/mcp";

let issuer: Issuer;
let suiteCallback: number;
beforeEach(async () => {
  suiteCallback = await freePort();
  const redirect_uris = [CALLBACK, `http://127.0.0.1:${suiteCallback}/callback`];
  issuer = await startIssuer({ documents: { [CLIENT]: { redirect_uris } } });
});
afterEach(() => issuer.stop());

it("passes the official suite's scenarios for authorization servers", async () => {
  const options = { url: issuer.url, "client-id": CLIENT, resource: RESOURCE, port: String(suiteCallback) };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const suite = spawn(process.execPath, [join(SUITE, "dist/index.js"), "authorization", ...args]);
  let printed = "";
  let isVisited = false;
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.on("data", (chunk) => {
      printed += chunk;
      // The suite expects a person to open this page; the last redirect leads back to the suite.
      const page = /(http\S+\/authorize\?\S+)\n/.exec(printed)?.[1];
      if (page === undefined || isVisited) return;
      isVisited = true;
      void visit(page);
    });
  }
  const code = await new Promise((ended) => suite.on("exit", ended));
  expect(printed).toContain("authorization-server-metadata-endpoint: 2 passed, 0 failed");
  expect(printed).toContain("authorization-code-grant: 1 passed, 0 failed");
  expect(code).toBe(0);
});

/** The suite names the page before it listens for the redirect, so the first visits may lead nowhere. */
async function visit(page: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const arrived = await fetch(page).catch(() => undefined);
    if (arrived) return;
    await sleep(100);
  }
}

const VERIFIER = randomBytes(32).toString("base64url");
const REQUEST = {
  response_type: "code",
  client_id: CLIENT,
  redirect_uri: CALLBACK,
  resource: RESOURCE,
  scope: "a b",
  state: "a-state",
  code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
  code_challenge_method: "S256",
};

type Params = Record<string, string | undefined>;
const encode = (params: Params) => new URLSearchParams(JSON.parse(JSON.stringify(params)));

async function authorize(changed: Params = {}): Promise<URLSearchParams> {
  const answer = await fetch(`${issuer.url}/authorize?${encode({ ...REQUEST, ...changed })}`, { redirect: "manual" });
  return new URL(answer.headers.get("location") ?? `data:?status=${answer.status}`).searchParams;
}

async function token(params: Params): Promise<Record<string, string>> {
  const answer = await fetch(`${issuer.url}/token`, { method: "POST", body: encode(params) });
  return answer.json() as Promise<Record<string, string>>;
}

async function redeem(changed: Params = {}, code?: string): Promise<Record<string, string>> {
  const got = code ?? (await authorize()).get("code") ?? undefined;
  const { client_id, redirect_uri, resource } = REQUEST;
  const form = {
    grant_type: "authorization_code",
    code: got,
    client_id,
    redirect_uri,
    resource,
    code_verifier: VERIFIER,
  };
  return token({ ...form, ...changed });
}

const renew = (refresh_token: string | undefined, changed: Params = {}) =>
  token({ grant_type: "refresh_token", refresh_token, client_id: CLIENT, resource: RESOURCE, ...changed });

describe("it refuses", () => {
  it.each([
    ["no PKCE", { code_challenge: undefined }, "invalid_request"],
    ["PKCE in the clear", { code_challenge_method: "plain" }, "invalid_request"],
    ["no resource", { resource: undefined }, "invalid_target"],
    ["a resource with a fragment", { resource: `${RESOURCE}#a` }, "invalid_target"],
    ["an implicit grant", { response_type: "token" }, "unsupported_response_type"],
  ])("%s, and names itself in the answer (RFC 9207, section 2)", async (_, changed, error) => {
    const back = await authorize(changed);
    expect(Object.fromEntries(back)).toMatchObject({ error, iss: issuer.url, state: "a-state" });
    expect(back.has("code")).toBe(false);
  });

  it.each([
    ["a client that it does not know", { client_id: "someone" }],
    ["another redirect URI", { redirect_uri: "http://127.0.0.1:7777/elsewhere" }],
  ])("%s, without a redirect", async (_, changed) => {
    expect((await authorize(changed)).get("status")).toBe("400");
  });

  it.each([
    ["another verifier", { code_verifier: "another" }, "invalid_grant"],
    ["another redirect URI's code", { redirect_uri: "http://127.0.0.1:7777/elsewhere" }, "invalid_grant"],
    ["another client's code", { client_id: "someone" }, "invalid_grant"],
    ["another resource", { resource: "https://mcp.example.com/other" }, "invalid_target"],
    ["a code for no resource", { resource: undefined }, "invalid_target"],
  ])("%s", async (_, changed, error) => {
    expect(await redeem(changed)).toMatchObject({ error });
  });

  it("a redeemed code, and a used refresh token", async () => {
    const code = (await authorize()).get("code") ?? "";
    const { refresh_token: first } = await redeem({}, code);
    expect(await redeem({}, code)).toMatchObject({ error: "invalid_grant" });
    const { refresh_token: second } = await renew(first);
    expect(second).not.toBe(first);
    expect(await renew(first)).toMatchObject({ error: "invalid_grant" });
    expect(await renew(second, { scope: "a" })).toMatchObject({ scope: "a" });
  });

  it("to widen a grant", async () => {
    const { refresh_token } = await redeem();
    expect(await renew(refresh_token, { scope: "a b c" })).toMatchObject({ error: "invalid_scope" });
  });
});

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}
