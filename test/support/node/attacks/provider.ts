/** An identity provider that publishes keys, signs tokens, and can be made to fail in many ways. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Alg, forge, KEYS, now, publicJwk, SIGN } from "./tokens.ts";

export type Mood =
  | "well"
  | "down"
  | "hangs"
  | "hangs in the middle"
  | "html"
  | "no json"
  | "empty"
  | "no keys"
  | "bad keys"
  | "redirects"
  | "null"
  | "slow";

export interface Provider {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Requests for its keys so far. */
  keyRequests: number;
  /** Requested paths. */
  readonly paths: string[];
  mood: Mood;
  /** Algorithms of the published keys, by `kid`. */
  published: Map<string, Alg>;
  /** Signs claims. Those that are undefined are omitted. */
  sign(claims?: object, header?: { alg?: Alg; kid?: string; [member: string]: unknown }): string;
  stop(): void;
}

export async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    provider.paths.push(request.url ?? "");
    if (request.url !== "/keys") return response.writeHead(200).end(JSON.stringify({ keys: [] }));
    provider.keyRequests += 1;
    return answer(response, provider);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: Provider = {
    issuer,
    jwksUrl: `${issuer}/keys`,
    keyRequests: 0,
    paths: [],
    mood: "well",
    published: new Map((Object.keys(KEYS) as Alg[]).map((alg) => [alg, alg])),
    sign(claims = {}, { alg = "RS256", ...header } = {}) {
      const standard = { iss: issuer, sub: "ada", iat: now(), exp: now() + 900 };
      return forge({ alg, kid: alg, typ: "JWT", ...header }, { ...standard, ...claims }, SIGN[alg]);
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return provider;
}

function answer(response: ServerResponse, { mood, published }: Provider): unknown {
  const keys = Array.from(published, ([kid, alg]) => publicJwk(alg, kid));
  const ok = (body: string, type = "application/json") => response.writeHead(200, { "content-type": type }).end(body);
  switch (mood) {
    case "well":
      return ok(JSON.stringify({ keys }));
    case "slow":
      return setTimeout(() => ok(JSON.stringify({ keys })), 300);
    case "down":
      return response.writeHead(500).end();
    case "hangs":
      return undefined;
    case "hangs in the middle":
      return response.writeHead(200, { "content-type": "application/json" }).write('{"keys": [');
    case "html":
      return ok("<!doctype html><title>Please wait</title>", "text/html");
    case "no json":
      return ok("{keys");
    case "empty":
      return ok("");
    case "null":
      return ok("null");
    case "no keys":
      return ok('{"keys": []}');
    case "bad keys":
      return ok('{"keys": [{"kty": "RSA", "kid": "RS256", "alg": "RS256", "use": "sig", "n": "AA", "e": "AQAB"}]}');
    case "redirects":
      return response.writeHead(302, { location: "/elsewhere" }).end();
  }
}
