/**
 * Guards what the OAuth library fetches and logs. The library uses the global `fetch` and `console.warn`, and cannot be
 * given others, so this replaces the globals. Calls from other code behave as before.
 */
import { guardedFetch } from "../../core/lib/guarded-fetch.ts";
import type { Log } from "../../core/lib/log.ts";
import { readUpTo } from "../../core/lib/read-up-to.ts";

const LIBRARY = /^workers-oauth-provider\//;
/** How the library's warnings begin. The rest may contain what an anonymous caller sent, or confidential ids. */
const WARNING = /^(CIMD fetch failed|Failed to renew client registration|Failed to revoke grant)/;
/**
 * In bytes. The library would take 64 KiB of a client's keys, which can take 16 times their size once parsed. Eight RSA
 * keys with their certificates fit.
 */
const MAX_BYTES = 16_384;
/** Marks our replacement of `fetch`. */
const REPLACES = Symbol.for("trivet.guardLibrary");

/**
 * Makes the library's requests refuse private addresses and all redirects: it fetches what clients publish about
 * themselves, which is at the client's own URL (draft-ietf-oauth-client-id-metadata-document). The library's
 * requests are recognized by their `User-Agent`. Its warnings become lines of JSON without the client's data. Call this
 * before using the library; calling it again does nothing.
 */
export function guardLibrary(log: Log): void {
  const { fetch: send } = globalThis;
  if (REPLACES in send) return;
  const guarded = guardedFetch((input, init) => send(input, init));
  const guard = async (input: string | URL | Request, init?: RequestInit) => {
    if (!isOfLibrary(init)) return send(input, init);
    return withWholeBody(await guarded(input, { ...init, redirect: "error" }), init?.signal);
  };
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

/** Reads the body before the library does, which keeps each piece that arrives (see read-up-to.ts). */
async function withWholeBody(response: Response, signal: AbortSignal | null | undefined): Promise<Response> {
  if (!response.ok) {
    await response.body?.cancel();
    return new Response(null, response);
  }
  if (response.body === null) return response;
  const body = await readUpTo(response.body, MAX_BYTES, signal);
  if (body === undefined) throw new TypeError(`More than ${MAX_BYTES} bytes`);
  return new Response(body, response);
}
