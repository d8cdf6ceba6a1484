/**
 * An authorization server for tests, as strict as OAuth 2.1 and MCP's basic/authorization require, and as small as
 * possible: discovery, registration, the code grant with PKCE, and refreshing. Its user is Ada, who approves at once.
 */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export interface IssuerSettings {
  /** Path of the issuer identifier: `/tenant1`. */
  readonly path?: string;
  /** Where its metadata is published: as RFC 8414 says, or by OpenID Connect Discovery 1.0 only. */
  readonly discovery?: "oauth" | "openid";
  /** Client ID metadata documents by URL, as if it had fetched them. Left out, it supports none. */
  readonly documents?: Record<string, { readonly redirect_uris: readonly string[] }>;
}

/** A request to one of its endpoints. */
export interface ReceivedRequest {
  readonly endpoint: string;
  readonly params: Record<string, string>;
}

export interface Issuer {
  readonly url: string;
  readonly jwksUrl: string;
  readonly requests: ReceivedRequest[];
  /** Signs an access token like its own, with other claims; `undefined` removes one. */
  mint(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  stop(): Promise<void>;
}

interface Grant {
  readonly client: string;
  readonly resource: string;
  readonly scope: string;
}

interface Code extends Grant {
  readonly redirectUri: string;
  readonly challenge: string;
}

const LIFE_S = 300;

/** An error of RFC 6749, sections 4.1.2.1 and 5.2. */
class Refused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export async function startIssuer({ path = "", discovery = "oauth", documents }: IssuerSettings = {}): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const kid = randomUUID();
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" };
  const clients = new Map<string, readonly string[]>();
  for (const [url, { redirect_uris }] of Object.entries(documents ?? {})) clients.set(url, redirect_uris);
  const codes = new Map<string, Code>();
  const refreshTokens = new Map<string, Grant & { used: boolean }>();
  const requests: ReceivedRequest[] = [];

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      if (!(error instanceof Refused)) throw error;
      send(response, 400, { error: error.code, error_description: error.message });
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = origin + path;

  const metadata = {
    issuer: url,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    jwks_uri: `${origin}/jwks`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...(documents && { client_id_metadata_document_supported: true }),
    ...(discovery === "openid" && {
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    }),
  };
  const metadataPath =
    discovery === "oauth"
      ? `/.well-known/oauth-authorization-server${path}`
      : `${path}/.well-known/openid-configuration`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const body = await read(request);
    const endpoint = `${request.method} ${pathname}`;
    switch (endpoint) {
      case `GET ${metadataPath}`:
        return send(response, 200, metadata);
      case "GET /jwks":
        return send(response, 200, { keys: [jwk] });
      case "POST /register": {
        const client = JSON.parse(body);
        note(endpoint, client);
        if (!Array.isArray(client.redirect_uris)) throw new Refused("invalid_redirect_uri", "There is none");
        const client_id = randomUUID();
        clients.set(client_id, client.redirect_uris);
        return send(response, 201, { ...client, client_id, token_endpoint_auth_method: "none" });
      }
      case "GET /authorize":
        note(endpoint, Object.fromEntries(searchParams));
        return authorize(once(searchParams), response);
      case "POST /token": {
        const form = once(new URLSearchParams(body));
        note(endpoint, form);
        return send(response, 200, await exchange(form));
      }
      default:
        return send(response, 404, {});
    }
  }

  function note(endpoint: string, params: Record<string, string>): void {
    requests.push({ endpoint, params });
  }

  function authorize(query: Record<string, string>, response: ServerResponse): void {
    const { client_id: client = "", redirect_uri: redirectUri = "", state, scope = "" } = query;
    // Security Considerations, Open Redirection: "MUST validate exact redirect URIs against pre-registered values".
    if (!clients.get(client)?.includes(redirectUri)) throw new Refused("invalid_request", "No such client or redirect");
    const back = new URL(redirectUri);
    // RFC 9207, section 2: in error responses as well.
    back.searchParams.set("iss", url);
    if (state !== undefined) back.searchParams.set("state", state);
    try {
      const { resource, code_challenge: challenge } = query;
      if (query.response_type !== "code") throw new Refused("unsupported_response_type", "Not a code");
      if (!challenge || query.code_challenge_method !== "S256") throw new Refused("invalid_request", "PKCE is needed");
      const code = randomUUID();
      codes.set(code, { client, redirectUri, challenge, scope, resource: checkedResource(resource) });
      back.searchParams.set("code", code);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      back.searchParams.set("error", error.code);
      back.searchParams.set("error_description", error.message);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async function exchange(form: Record<string, string>): Promise<Record<string, unknown>> {
    const grant = form.grant_type === "refresh_token" ? renewed(form) : redeemed(form);
    if (grant.client !== form.client_id) throw new Refused("invalid_grant", "It is another client's");
    // RFC 8707, section 2.2; MCP, Resource Parameter Implementation: "in both authorization requests and token
    // requests".
    if (form.resource !== grant.resource) throw new Refused("invalid_target", "It is for another resource");
    const refresh_token = randomUUID();
    refreshTokens.set(refresh_token, { ...grant, used: false });
    const { client: client_id, resource: aud, scope } = grant;
    const access_token = await mint({ aud, client_id, scope });
    return { access_token, token_type: "Bearer", expires_in: LIFE_S, refresh_token, scope };
  }

  function redeemed(form: Record<string, string>): Grant {
    if (form.grant_type !== "authorization_code") throw new Refused("unsupported_grant_type", "No such grant");
    const granted = codes.get(form.code ?? "");
    codes.delete(form.code ?? "");
    if (granted === undefined) throw new Refused("invalid_grant", "There is no such code, or not any more");
    const { challenge, redirectUri, ...grant } = granted;
    if (form.redirect_uri !== redirectUri) throw new Refused("invalid_grant", "It was for another redirect URI");
    const hash = createHash("sha256")
      .update(form.code_verifier ?? "")
      .digest("base64url");
    if (hash !== challenge) throw new Refused("invalid_grant", "The verifier is not the challenge's");
    return grant;
  }

  /** OAuth 2.1, section 4.3.1: a public client's refresh token can be used once. */
  function renewed(form: Record<string, string>): Grant {
    const kept = refreshTokens.get(form.refresh_token ?? "");
    if (kept === undefined || kept.used) throw new Refused("invalid_grant", "There is no such refresh token any more");
    kept.used = true;
    const { used: _, ...grant } = kept;
    const scope = form.scope ?? grant.scope;
    const granted = grant.scope.split(" ");
    // RFC 6749, section 6: "MUST NOT include any scope not originally granted".
    if (!scope.split(" ").every((one) => granted.includes(one))) throw new Refused("invalid_scope", "Never granted");
    return { ...grant, scope };
  }

  /** RFC 9068, sections 2.1 and 2.2. */
  function mint(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: url, sub: "ada", client_id: "test", iat: now, exp: now + LIFE_S, jti: randomUUID(), ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid, ...header }).sign(privateKey);
  }

  const stop = () =>
    new Promise<void>((stopped) => {
      server.close(() => stopped());
      server.closeAllConnections();
    });
  return { url, jwksUrl: metadata.jwks_uri, requests, mint, stop };
}

/** RFC 8707, section 2: "an absolute URI" that "MUST NOT include a fragment component". */
function checkedResource(resource: string | undefined): string {
  if (resource === undefined || !URL.canParse(resource) || resource.includes("#")) {
    throw new Refused("invalid_target", "A resource is needed");
  }
  return resource;
}

/** RFC 6749, section 3.1: "parameters MUST NOT be included more than once". */
function once(params: URLSearchParams): Record<string, string> {
  const all = Object.fromEntries(params);
  if (Object.keys(all).length < params.size) throw new Refused("invalid_request", "A parameter is there twice");
  return all;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
