/** Knows who calls: nobody, or the holder of a key or a sign-in. Keeps the credential in memory only. */
import { headerValue } from "../../../../client/lib/header.ts";
import { CallerChanged, type Fetch, messageIn, NeedsCredential, statusFailure } from "./failures.ts";
import { browserFetch } from "./recorder.ts";
import {
  authorization,
  type Browser,
  ENDED,
  finishSignIn,
  type Grant,
  refresh,
  revoke,
  SignInFailed,
  type SigningPage,
  startSignIn,
} from "./sign-in.ts";

export type AccessState = "nobody" | "key" | "signed in";

type Credential = { readonly key: string } | { readonly grant: Grant };

/** A caller: from the moment a credential is used until another one is. A new token of a grant does not end it. */
class Caller {
  credential: Credential | undefined;
  /** Aborted when another caller takes over: the reason says why. */
  readonly left = new AbortController();
  renewing: Promise<void> | undefined;
  /** The handle by which calls of tools that keep a session share it (docs/data.md). */
  session: string | undefined;
  /** Requests that end what this caller has begun. */
  readonly late = new Set<Promise<unknown>>();

  constructor(credential?: Credential) {
    this.credential = credential;
  }

  get grant(): Grant | undefined {
    return this.credential && "grant" in this.credential ? this.credential.grant : undefined;
  }
}

/** A token this close to its end may expire on the way. */
const SOON_MS = 30_000;
const PLAIN =
  "This page came over plain http, so others could read the key on its way. Open the page with https:// and enter it there.";

export class Access {
  readonly #page: SigningPage;
  #caller = new Caller();
  /** The registration of this page at the sign-in. */
  #client: string | undefined;

  /** Both parameters are for tests. */
  constructor(browser = globalThis as unknown as Browser, send: Fetch = browserFetch) {
    this.#page = { origin: new URL(browser.location.href).origin, browser, send };
  }

  /** Origin of the page and its server: `https://tools.example.com`. */
  get origin(): string {
    return this.#page.origin;
  }

  get state(): AccessState {
    const { credential } = this.#caller;
    if (credential === undefined) return "nobody";
    return "key" in credential ? "key" : "signed in";
  }

  /** What the sign-in has granted. Empty for a key, whose scopes the page does not know. */
  get scopes(): readonly string[] {
    return this.#caller.grant?.scopes ?? [];
  }

  /** The handle of the present caller's session; undefined before the first call that keeps one. */
  get session(): string | undefined {
    return this.#caller.session;
  }

  set session(handle: string | undefined) {
    this.#caller.session = handle;
  }

  /** Aborted when another caller takes over. Its reason is an Error with a message for the person. */
  get signal(): AbortSignal {
    return this.#caller.left.signal;
  }

  /**
   * Uses a key from now on. The next request shows whether it is valid.
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
    // The server would refuse the request, and the key would have to be replaced, because others may have read it.
    if (protocol === "http:" && !isPrivateHost(hostname)) throw new TypeError(PLAIN);
    this.#leave({ key });
  }

  /** Goes on as nobody. A sign-in also ends at the server. */
  forget(): void {
    this.#leave(undefined);
  }

  /**
   * Where users sign in: at this Worker, or at an identity provider, which the page cannot ask; undefined if nowhere.
   */
  async signInAt(): Promise<"own" | "provider" | undefined> {
    const { servers } = await authorization(this.#page);
    if (servers.includes(this.origin)) return "own";
    return servers.length > 0 ? "provider" : undefined;
  }

  /**
   * Leaves the page to sign in, which forgets a key and what the page shows.
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
   * Finishes a sign-in that led back to this page. Call it once, when the page starts.
   *
   * @returns whether there was one
   * @throws {SignInFailed | Unreachable | Refused} with a message for the person
   */
  async finishSignIn(): Promise<boolean> {
    const grant = await finishSignIn(this.#page);
    if (grant === undefined) return false;
    this.#leave({ grant });
    return true;
  }

  /**
   * Makes a `fetch` that sends the credential of the present caller, and sends a request again if its token has
   * expired. Once another caller has taken over, it sends nothing, and what it has sent is aborted. Unlike others, it
   * rejects for the statuses by which a server refuses a caller: with a NeedsCredential or a Refused.
   *
   * @param send the `fetch` of a recorder, to show the requests
   * @param isLate whether it still sends after another caller has taken over, to end what this caller has begun
   */
  sender(send: Fetch = browserFetch, isLate = false): Fetch {
    const caller = this.#caller;
    const left = caller.left.signal;
    const once = (url: string, init: RequestInit) => {
      if (!isLate) left.throwIfAborted();
      return send(url, headed(init, caller.credential));
    };
    const sent: Fetch = async (url, given) => {
      if (new URL(url).origin !== this.origin) throw new TypeError("The credential is for this server only");
      const signals = [given.signal, isLate ? undefined : left].filter((signal) => signal instanceof AbortSignal);
      const init = { ...given, signal: AbortSignal.any(signals) };
      const { expires = Number.POSITIVE_INFINITY } = caller.grant ?? {};
      if (expires - Date.now() < SOON_MS) await this.#renew(caller);
      const used = caller.credential;
      let response = await once(url, init);
      if (response.status === 401 && used && "grant" in used) {
        // Another request may have got a new token in between.
        if (caller.credential === used) await this.#renew(caller);
        if (caller.credential !== used) {
          await response.body?.cancel();
          response = await once(url, init);
        }
      }
      const { status, headers } = response;
      if (![401, 403, 429].includes(status)) return response;
      throw statusFailure(status, headers, messageIn(await response.text()), caller.grant?.scopes);
    };
    if (!isLate) return sent;
    return (url, init) => {
      const sending = sent(url, init);
      caller.late.add(sending);
      const end = () => caller.late.delete(sending);
      sending.then(end, end);
      return sending;
    };
  }

  /** Gets a new token, if it can. One request at a time: a second one would end the grant. */
  #renew(caller: Caller): Promise<void> {
    const { grant, left } = caller;
    // A caller that has left gets no new token.
    if (grant === undefined || left.signal.aborted) return caller.renewing ?? Promise.resolve();
    caller.renewing ??= refresh(this.#page, grant)
      .then(
        (grant) => {
          caller.credential = { grant };
        },
        (error) => {
          // After any other error, the next request tries again.
          if (error instanceof SignInFailed && caller === this.#caller)
            this.#change(undefined, new NeedsCredential(ENDED));
        },
      )
      .finally(() => {
        caller.renewing = undefined;
      });
    return caller.renewing;
  }

  /** Goes on with another credential, because the person wants to. */
  #leave(credential: Credential | undefined): void {
    const caller = this.#caller;
    this.#change(credential, new CallerChanged());
    // If the server cannot be reached, there is nothing else to do.
    if (caller.grant) this.#revoke(caller).catch(() => {});
  }

  async #revoke(caller: Caller): Promise<void> {
    // Requests that end what this caller has begun come first, because they need the grant. They begin in this turn.
    await new Promise((resume) => setTimeout(resume));
    await Promise.allSettled([...caller.late, caller.renewing]);
    if (caller.grant) await revoke(this.#page, caller.grant);
  }

  #change(credential: Credential | undefined, why: Error): void {
    const { left } = this.#caller;
    this.#caller = new Caller(credential);
    this.#client = this.#caller.grant?.client ?? this.#client;
    left.abort(why);
  }
}

function headed(init: RequestInit, credential: Credential | undefined): RequestInit {
  if (credential === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${"key" in credential ? credential.key : credential.grant.token}`);
  return { ...init, headers };
}

/** Whether a host is this machine, or in a private network (RFC 1918 and 1122). */
function isPrivateHost(host: string): boolean {
  if (/^(.+\.)?localhost$|^\[::1\]$|^\[f[cd]/.test(host)) return true;
  return /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d+){2,3}$/.test(host);
}
