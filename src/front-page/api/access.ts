/** Who calls: nobody, or the holder of a key or a sign-in. The credential is in memory only, and ends with the page. */
import { headerValue } from "../../client/lib/header.ts";
import { type Fetch, messageIn, statusFailure } from "./failures.ts";
import { browserFetch } from "./recorder.ts";
import {
  authorization,
  type Browser,
  finishSignIn,
  type Grant,
  refresh,
  SignInFailed,
  type SigningPage,
  startSignIn,
} from "./sign-in.ts";

export type AccessState = "nobody" | "key" | "signed in";

type Credential = { readonly key: string } | { readonly grant: Grant };

/** A token this close to its end may expire on the way. */
const SOON_MS = 30_000;
const PLAIN =
  "This page came over plain http, so others could read the key on its way. Open the page with https:// and enter it there.";

export class Access {
  readonly #page: SigningPage;
  #credential: Credential | undefined;
  /** The registration of this page at the sign-in. */
  #client: string | undefined;
  #refreshing: Promise<boolean> | undefined;

  /** Both parameters are for tests. */
  constructor(browser = globalThis as unknown as Browser, send: Fetch = browserFetch) {
    this.#page = { origin: new URL(browser.location.href).origin, browser, send };
  }

  /** Of the page and its server: `https://tools.example.com`. */
  get origin(): string {
    return this.#page.origin;
  }

  get state(): AccessState {
    if (this.#credential === undefined) return "nobody";
    return "key" in this.#credential ? "key" : "signed in";
  }

  /** What the sign-in has granted; of a key, the page does not know. */
  get scopes(): readonly string[] {
    return this.#grant?.scopes ?? [];
  }

  get #grant(): Grant | undefined {
    return this.#credential && "grant" in this.#credential ? this.#credential.grant : undefined;
  }

  /**
   * Uses a key from now on. Whether it is valid, the next request shows.
   *
   * @throws {TypeError} with a message for the person, if it cannot be a key, or would be sent where others can read it
   */
  useKey(text: string): void {
    const key = text.trim();
    if (key === "") throw new TypeError("Enter a key.");
    try {
      headerValue("key", key);
    } catch {
      throw new TypeError("This is not a key: it contains a space, or another character that no key has.");
    }
    const { protocol, hostname } = new URL(this.origin);
    // The server would refuse it, and the key would have to be replaced.
    if (protocol === "http:" && !isPrivateHost(hostname)) throw new TypeError(PLAIN);
    this.#change({ key });
  }

  forget(): void {
    this.#change(undefined);
  }

  /** Where users sign in: at this Worker, or at an identity provider, which the page cannot ask; undefined if nowhere. */
  async signInAt(): Promise<"own" | "provider" | undefined> {
    const { servers } = await authorization(this.#page);
    if (servers.includes(this.origin)) return "own";
    return servers.length > 0 ? "provider" : undefined;
  }

  /**
   * Leaves the page to sign in. A key, and what the page shows, is forgotten by that.
   *
   * @param scopes to ask for, besides those that are granted and those that everyone is asked for
   * @throws {SignInFailed | Unreachable | Refused} with a message for the person
   */
  async signIn(scopes: readonly string[]): Promise<void> {
    const { servers, scopes: base } = await authorization(this.#page);
    if (!servers.includes(this.origin)) throw new SignInFailed("This server has no sign-in of its own.");
    const all = [...new Set([...base, ...this.scopes, ...scopes])];
    await startSignIn(this.#page, all, this.#client);
  }

  /**
   * Ends a sign-in that led back to this page. Call it once, when the page starts.
   *
   * @returns whether there was one
   * @throws {SignInFailed | Unreachable | Refused} with a message for the person
   */
  async finishSignIn(): Promise<boolean> {
    const grant = await finishSignIn(this.#page);
    if (grant === undefined) return false;
    this.#change({ grant });
    return true;
  }

  /**
   * Makes a `fetch` that sends the credential, and sends a request again if its token has expired. Unlike others, it
   * rejects for the statuses by which a server refuses a caller: with a NeedsCredential or a Refused.
   *
   * @param send sends what it is given: that of a recorder, to show it
   */
  sender(send: Fetch = browserFetch): Fetch {
    const headed = (init: RequestInit, credential: Credential | undefined): RequestInit => {
      if (credential === undefined) return init;
      const token = "key" in credential ? credential.key : credential.grant.token;
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${token}`);
      return { ...init, headers };
    };
    return async (url, init) => {
      if (new URL(url).origin !== this.origin) throw new TypeError("The credential is for this server only");
      const { expires = Number.POSITIVE_INFINITY } = this.#grant ?? {};
      if (expires - Date.now() < SOON_MS) await this.#refresh();
      const used = this.#credential;
      let response = await send(url, headed(init, used));
      if (response.status === 401 && used && "grant" in used) {
        // Another request may have got a new token meanwhile.
        const isNew = this.#credential !== used || (await this.#refresh());
        if (isNew && this.#credential) {
          await response.body?.cancel();
          response = await send(url, headed(init, this.#credential));
        }
      }
      const { status, headers } = response;
      if (![401, 403, 429].includes(status)) return response;
      throw statusFailure(status, headers, messageIn(await response.text()), this.scopes);
    };
  }

  /** One at a time: of two, the second would end the grant. @returns whether there is a new token */
  #refresh(): Promise<boolean> {
    this.#refreshing ??= this.#renew().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #renew(): Promise<boolean> {
    const used = this.#credential;
    if (used === undefined || !("grant" in used)) return false;
    try {
      const grant = await refresh(this.#page, used.grant);
      // The person may have signed out, or entered a key, meanwhile.
      if (this.#credential !== used) return false;
      this.#change({ grant });
      return true;
    } catch (error) {
      // Otherwise the next request tries again.
      if (error instanceof SignInFailed && this.#credential === used) this.#change(undefined);
      return false;
    }
  }

  #change(credential: Credential | undefined): void {
    this.#credential = credential;
    this.#client = this.#grant?.client ?? this.#client;
  }
}

/** Whether a host is this machine, or in a private network (RFC 1918 and 1122). */
function isPrivateHost(host: string): boolean {
  if (/^(.+\.)?localhost$|^\[::1\]$|^\[f[cd]/.test(host)) return true;
  return /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d+){2,3}$/.test(host);
}
