/**
 * The library's ways out: what it fetches, and what it logs. It does both with the global functions and can be given no
 * others, so these are replaced. What is not the library's goes on as it was.
 */
import { guardedFetch } from "../core/lib/egress.ts";
import type { Log } from "../core/lib/log.ts";

const LIBRARY = /^workers-oauth-provider\//;
/** How its warnings begin, before what a stranger sent, or ids that none but their holders shall know. */
const WARNING = /^(CIMD fetch failed|Failed to renew client registration|Failed to revoke grant)/;
/** Marks a function as a replacement. */
const REPLACES = Symbol.for("trivet.guardLibrary");

/**
 * Of what a client publishes about itself (a client id metadata document, and the keys that one names), it refuses
 * addresses inside a network, and every redirect: that stands at the client's own address
 * (draft-ietf-oauth-client-id-metadata-document). The library's requests are known by their `User-Agent`. Its warnings
 * become a line of JSON, without what was sent. Called before the library does anything; called again, it does nothing.
 */
export function guardLibrary(log: Log): void {
  const { fetch: send } = globalThis;
  if (REPLACES in send) return;
  const guarded = guardedFetch((input, init) => send(input, init));
  const guard = (input: string | URL | Request, init?: RequestInit) =>
    isOfLibrary(init) ? guarded(input, { ...init, redirect: "error" }) : send(input, init);
  globalThis.fetch = Object.assign(guard, { [REPLACES]: true });

  const warn = console.warn.bind(console);
  console.warn = (...parts: unknown[]) => {
    const [, reason] = WARNING.exec(String(parts[0])) ?? [];
    if (reason === undefined) warn(...parts);
    else log({ level: "warning", message: "oauth library warned", reason });
  };
}

function isOfLibrary(init: RequestInit | undefined): boolean {
  return init?.headers !== undefined && LIBRARY.test(new Headers(init.headers).get("user-agent") ?? "");
}
