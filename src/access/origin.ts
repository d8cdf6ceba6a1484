/**
 * Keeps web pages of others out (MCP, basic/transports, Security Warning: "Servers MUST validate the Origin header"):
 * a browser says on whose behalf it calls, and a server on loopback answers to loopback's names only, so that a name
 * that was made to lead here (DNS rebinding) leads nowhere.
 */

export interface Neighbours {
  /** The server is for this machine: `npm start` says so. */
  readonly local: boolean;
  /** Origins beside the server's own whose pages may call: `https://app.example.com`. */
  readonly origins: readonly string[];
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|[a-z0-9-]+\.localhost)$/i;

/** @returns why the request is refused; undefined for one that may go on. No Origin means that no browser sent it */
export function refusedOrigin(request: Request, { local, origins }: Neighbours): string | undefined {
  const origin = request.headers.get("origin");
  if (!local && origin === null) return undefined;
  const url = new URL(request.url);
  if (local && !LOOPBACK.test(url.hostname)) return "This server answers to this machine only";
  if (origin === null || origin === url.origin || origins.includes(origin)) return undefined;
  if (local && /^https?:/.test(origin) && LOOPBACK.test(URL.parse(origin)?.hostname ?? "")) return undefined;
  return "Pages of this origin may not call";
}
