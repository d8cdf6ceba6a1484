/**
 * Signs in at the Worker's own authorization server: OAuth 2.1 with PKCE and dynamic registration. Any other server
 * would need requests to another host, which the page never makes.
 */
import { NoResponse } from "../../../../client/lib/http.ts";
import { isRecord, parseJson } from "../../../../client/lib/json.ts";
import { type Fetch, failureOf, messageIn, statusFailure, unreadable } from "./failures.ts";
import { base64, textOr, textsIn } from "./read.ts";

/** What is used of a browser's globals. */
export interface Browser {
  readonly location: { readonly href: string; assign(url: string): void };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  readonly sessionStorage: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
}

export interface SigningPage {
  /** Origin of the page and of its server. */
  readonly origin: string;
  readonly browser: Browser;
  readonly send: Fetch;
}

export interface Grant {
  readonly token: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since 1970. */
  readonly expires: number | undefined;
  readonly scopes: readonly string[];
  readonly client: string;
  /** The URL at which it can be ended; undefined if there is none. */
  readonly revocation: string | undefined;
}

/** A sign-in did not work. The message is a sentence for the person. */
export class SignInFailed extends Error {
  override readonly name = "SignInFailed";
}

interface AuthorizationServer {
  readonly authorize: string;
  readonly token: string;
  readonly register: string;
  readonly revoke: string | undefined;
  readonly namesItself: boolean;
}

/** Kept while the person is at the sign-in's pages, under {@link STORED}. */
interface PendingSignIn {
  readonly verifier: string;
  readonly state: string;
  readonly client: string;
  readonly hash: string;
}

const STORED = "trivet-sign-in";
/** The most characters that are shown of the server's own text. */
const MAX_TOLD = 300;
const PARAMETERS = ["code", "state", "iss", "scope", "error", "error_description", "error_uri"];

/**
 * Reads where users sign in (RFC 9728). Empty if the server cannot be reached.
 *
 * @returns the authorization servers, and the scopes to ask for at first
 */
export async function authorization(page: SigningPage) {
  const resource = await getJson(page, "oauth-protected-resource").catch(() => undefined);
  const { authorization_servers, scopes_supported } = isRecord(resource) ? resource : {};
  return { servers: textsIn(authorization_servers), scopes: textsIn(scopes_supported) };
}

/**
 * Leaves the page for that of the sign-in.
 *
 * @param client the id of an earlier registration
 * @throws {SignInFailed | Unreachable | Refused}
 */
export async function startSignIn(
  page: SigningPage,
  scopes: readonly string[],
  client: string | undefined,
): Promise<void> {
  const { origin, browser } = page;
  const server = await serverOf(page);
  const pending: PendingSignIn = {
    verifier: randomText(),
    state: randomText(),
    client: client ?? (await register(page, server)),
    hash: new URL(browser.location.href).hash,
  };
  const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pending.verifier));
  try {
    browser.sessionStorage.setItem(STORED, JSON.stringify(pending));
  } catch {
    throw new SignInFailed("Signing in needs session storage, which this browser blocks.");
  }
  const query = new URLSearchParams({
    response_type: "code",
    client_id: pending.client,
    redirect_uri: `${origin}/`,
    code_challenge: base64Url(new Uint8Array(challenge)),
    code_challenge_method: "S256",
    state: pending.state,
    // RFC 8707: the token is for this server only.
    resource: origin,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  });
  browser.location.assign(`${server.authorize}?${query}`);
}

/**
 * Finishes the sign-in that led back to this page, and removes what it left in the address and the storage.
 *
 * @returns undefined if no sign-in led here
 * @throws {SignInFailed | Unreachable | Refused}
 */
export async function finishSignIn(page: SigningPage): Promise<Grant | undefined> {
  const { origin, browser } = page;
  const url = new URL(browser.location.href);
  const get = (name: string) => url.searchParams.get(name);
  const [code, error, state, issuer] = [get("code"), get("error"), get("state"), get("iss")];
  const described = get("error_description");
  if (error === null && (code === null || state === null)) {
    // Forget a sign-in that was begun and not finished. A browser that blocks the storage has none.
    try {
      browser.sessionStorage.removeItem(STORED);
    } catch {}
    return undefined;
  }
  const stored = parseJson(browser.sessionStorage.getItem(STORED) ?? "");
  browser.sessionStorage.removeItem(STORED);
  const pending = isPending(stored) ? stored : undefined;
  for (const name of PARAMETERS) url.searchParams.delete(name);
  if (pending) url.hash = pending.hash;
  browser.history.replaceState(null, "", url.href);
  // RFC 9700, section 4.7.1: a link that somebody else made must not sign this person in. Nor does its text count.
  if (pending === undefined || pending.state !== state) {
    throw new SignInFailed("This sign-in was not started in this tab, or has ended already. Sign in again.");
  }
  if (error === "access_denied") throw new SignInFailed("You did not allow the sign-in, so nothing has changed.");
  if (error !== null) {
    throw new SignInFailed(`The sign-in did not work: ${harmless(described ?? error)}. Sign in again.`);
  }
  const server = await serverOf(page);
  // RFC 9207: the answer must come from the server that was asked.
  if (issuer === null ? server.namesItself : issuer !== origin) {
    throw new SignInFailed("The sign-in came back from another server, so it was not used.");
  }
  return redeem(page, server, pending.client, {
    grant_type: "authorization_code",
    code: code ?? "",
    redirect_uri: `${origin}/`,
    code_verifier: pending.verifier,
  });
}

/**
 * Gets a new token. Two requests at once would end the grant: the caller makes one at a time.
 *
 * @throws {SignInFailed} if the grant has ended, {@link Unreachable} and {@link Refused} if that is not known
 */
export async function refresh(page: SigningPage, { client, refreshToken, scopes }: Grant): Promise<Grant> {
  if (refreshToken === undefined) throw new SignInFailed(ENDED);
  const server = await serverOf(page);
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const grant = await redeem(page, server, client, form);
  return {
    ...grant,
    refreshToken: grant.refreshToken ?? refreshToken,
    scopes: grant.scopes.length > 0 ? grant.scopes : scopes,
  };
}

/**
 * Ends a grant with all its tokens (RFC 7009), even while the page is left.
 *
 * @throws whatever `fetch` does
 */
export async function revoke({ send }: SigningPage, { revocation, refreshToken, token, client }: Grant): Promise<void> {
  if (revocation === undefined) return;
  const hint = refreshToken === undefined ? "access_token" : "refresh_token";
  const form = { token: refreshToken ?? token, token_type_hint: hint, client_id: client };
  const body = new URLSearchParams(form).toString();
  await send(revocation, { method: "POST", headers: FORM, body, keepalive: true });
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };
export const ENDED = "Your sign-in has ended. Sign in again.";

async function redeem(
  page: SigningPage,
  { token, revoke: revocation }: AuthorizationServer,
  client: string,
  form: Record<string, string>,
): Promise<Grant> {
  const body = new URLSearchParams({ ...form, client_id: client, resource: page.origin }).toString();
  const { status, read } = await sent(page, token, { method: "POST", headers: FORM, body });
  if (status === 400 || status === 401) throw new SignInFailed(ENDED);
  const given = read();
  if (!isRecord(given) || typeof given.access_token !== "string") return unreadable("it has no token");
  const { access_token, refresh_token, expires_in, scope } = given;
  return {
    token: access_token,
    refreshToken: textOr(refresh_token),
    expires: typeof expires_in === "number" ? Date.now() + expires_in * 1_000 : undefined,
    scopes: textOr(scope, "").split(" ").filter(Boolean),
    client,
    revocation,
  };
}

/** Registers this page as a client (RFC 7591). @returns the client's id */
async function register(page: SigningPage, server: AuthorizationServer): Promise<string> {
  const { origin } = page;
  const body = JSON.stringify({
    client_name: `The page at ${new URL(origin).host}`,
    redirect_uris: [`${origin}/`],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
  const headers = { "content-type": "application/json" };
  const given = (await sent(page, server.register, { method: "POST", headers, body })).read();
  return isRecord(given) && typeof given.client_id === "string" ? given.client_id : unreadable("it has no client_id");
}

/** Reads the server's metadata (RFC 8414). */
async function serverOf(page: SigningPage): Promise<AuthorizationServer> {
  const { origin } = page;
  const given = await getJson(page, "oauth-authorization-server");
  if (!isRecord(given) || given.issuer !== origin) throw new SignInFailed("This server has no sign-in of its own.");
  const endpoint = (name: string) => {
    const url = given[name];
    return typeof url === "string" && URL.parse(url)?.origin === origin ? url : unreadable(`its ${name} is elsewhere`);
  };
  return {
    authorize: endpoint("authorization_endpoint"),
    token: endpoint("token_endpoint"),
    register: endpoint("registration_endpoint"),
    revoke: given.revocation_endpoint === undefined ? undefined : endpoint("revocation_endpoint"),
    namesItself: given.authorization_response_iss_parameter_supported === true,
  };
}

/** @returns undefined if the server has no such document */
async function getJson(page: SigningPage, document: string): Promise<unknown> {
  const url = `${page.origin}/.well-known/${document}`;
  const { status, read } = await sent(page, url, { headers: { accept: "application/json" } });
  return status === 404 ? undefined : read();
}

/** `read` returns the JSON of the answer, and throws if its status is not a success. */
async function sent({ send }: SigningPage, url: string, init: RequestInit) {
  try {
    const response = await send(url, init);
    const { ok, status, headers } = response;
    const text = await response.text();
    const read = (): unknown => {
      if (!ok) throw statusFailure(status, headers, messageIn(text));
      return parseJson(text);
    };
    return { status, read };
  } catch (error) {
    throw failureOf(new NoResponse("unreachable", "", { cause: error }));
  }
}

/** A text from elsewhere, short and without characters that change how what follows it is shown. */
function harmless(text: string): string {
  const plain = text.replace(/\p{Bidi_Control}/gu, "").replace(/\p{Cc}+/gu, " ");
  return [...plain].slice(0, MAX_TOLD).join("");
}

function isPending(value: unknown): value is PendingSignIn {
  return isRecord(value) && ["verifier", "state", "client", "hash"].every((name) => typeof value[name] === "string");
}

/** 256 random bits: 43 characters (RFC 7636, section 4.1). */
function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
