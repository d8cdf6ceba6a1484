/** A client and its user, in plain requests: registers, opens pages, fills in forms, exchanges codes. */
import { createHash, randomBytes } from "node:crypto";
import { post } from "../http.ts";

export interface Sheet {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The target of a redirect. */
  readonly location: URL | undefined;
  /** The one-time handle in the page's form. */
  readonly handle: string;
}

/** Keeps cookies, and does not follow redirects. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  /** The action of the last form that it received. */
  #action = "/authorize";

  constructor(url: string) {
    this.#url = url;
  }

  open(query: URLSearchParams | string): Promise<Sheet> {
    return this.#send(`${this.#url}/authorize?${query}`, {});
  }

  post(form: Record<string, string | string[]>): Promise<Sheet> {
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries(form)) for (const value of [values].flat()) body.append(name, value);
    return this.#send(this.#url + this.#action, { method: "POST", body });
  }

  async #send(url: string, init: RequestInit): Promise<Sheet> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: cookie ? { cookie } : {} });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    const action = /<form method="post" action="([^"]+)"/.exec(text)?.[1];
    if (action) this.#action = unescaped(action);
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: location === null ? undefined : new URL(location),
      handle: /name="handle" value="([^"]+)"/.exec(text)?.[1] ?? "",
    };
  }
}

export function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
}

export interface Client {
  readonly id: string;
  readonly secret?: string;
  readonly redirect: string;
}

/** A client whose id is the URL of its metadata document. */
export const clientAt = (id: string): Client => ({ id, redirect: REDIRECT });

/** The metadata document of such a client. */
export const documentOf = (id: string, more: object = {}) => ({
  client_id: id,
  client_name: "Some App",
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: "none",
  ...more,
});

export const REDIRECT = "https://app.example.com/callback";

export async function register(url: string, more: Record<string, unknown> = {}): Promise<Client> {
  const response = await post(`${url}/oauth/register`, {
    client_name: "Some App",
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
    ...more,
  });
  if (response.status !== 201) throw new Error(`not registered: ${await response.text()}`);
  const { client_id, client_secret, redirect_uris } = (await response.json()) as {
    client_id: string;
    client_secret?: string;
    redirect_uris: string[];
  };
  return { id: client_id, redirect: redirect_uris[0] ?? "", ...(client_secret && { secret: client_secret }) };
}

/** One attempt to sign in. */
export class Attempt {
  readonly verifier = randomBytes(32).toString("base64url");
  readonly state = randomBytes(8).toString("hex");
  readonly #url: string;
  readonly #client: Client;

  constructor(url: string, client: Client) {
    this.#url = url;
    this.#client = client;
  }

  /** `more` changes the request's parameters; undefined omits one. */
  query(more: Record<string, string | undefined> = {}): URLSearchParams {
    const all: Record<string, string | undefined> = {
      response_type: "code",
      client_id: this.#client.id,
      redirect_uri: this.#client.redirect,
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      state: this.state,
      resource: `${this.#url}/mcp`,
      ...more,
    };
    return new URLSearchParams(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  exchange(code: string, more: Record<string, string | undefined> = {}) {
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: this.#client.redirect,
      code_verifier: this.verifier,
      ...more,
    });
  }

  refresh(refreshToken: string) {
    return this.token({ grant_type: "refresh_token", refresh_token: refreshToken });
  }

  async token(form: Record<string, string | undefined>) {
    const all = { client_id: this.#client.id, client_secret: this.#client.secret, ...form };
    const body = new URLSearchParams(
      Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    const response = await fetch(`${this.#url}/oauth/token`, { method: "POST", body });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
    return { status: response.status, headers: response.headers, body: (text === "" ? {} : JSON.parse(text)) as any };
  }
}

/** Signs in: opens the page, enters the key, and allows the checked scopes. Returns the code. */
export async function signIn(
  url: string,
  attempt: Attempt,
  key: string,
  { scopes = [], ask = {} }: { scopes?: string[]; ask?: Record<string, string | undefined> } = {},
): Promise<string> {
  const browser = new Browser(url);
  const first = await browser.open(attempt.query({ scope: scopes.join(" ") || undefined, ...ask }));
  const second = await browser.post({ handle: first.handle, key });
  const last = await browser.post({ handle: second.handle, decision: "allow", scope: scopes });
  const code = last.location?.searchParams.get("code");
  if (!code) throw new Error(`no code: ${last.status} ${last.location} ${second.status} ${last.text}`);
  return code;
}

/** Calls a tool, and returns its result. */
export async function call(url: string, token: string, tool: string, path = "/mcp") {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } };
  const response = await post(`${url}${path}`, message, { authorization: `Bearer ${token}` });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}
