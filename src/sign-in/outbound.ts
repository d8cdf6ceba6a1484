/**
 * Guards the requests of the OAuth library: it fetches what a client publishes about itself (a client id metadata
 * document, and the keys that one names) with the global `fetch`, follows redirects, and can be given no other
 * function. So the global one is replaced: requests of the library, known by their `User-Agent`, pass the guard that
 * tools' requests pass; all others go on as they were.
 */
import { guardedFetch } from "../core/egress.ts";

/** Marks the global `fetch` once it is replaced. */
const GUARDED = Symbol("guarded");
const LIBRARY = /^workers-oauth-provider\//;

/**
 * Refuses addresses inside a network, and every redirect: what a client says of itself stands at its own address
 * (draft-ietf-oauth-client-id-metadata-document). Called before the library fetches anything; called again, it does
 * nothing.
 */
export function guardLibrary(): void {
  const send = globalThis.fetch;
  if (GUARDED in send) return;
  const guarded = guardedFetch((input, init) => send(input, init));
  const replacement = (input: string | URL | Request, init?: RequestInit) =>
    isOfLibrary(init) ? guarded(input, { ...init, redirect: "error" }) : send(input, init);
  globalThis.fetch = Object.assign(replacement, { [GUARDED]: true });
}

function isOfLibrary(init: RequestInit | undefined): boolean {
  return init?.headers !== undefined && LIBRARY.test(new Headers(init.headers).get("user-agent") ?? "");
}
