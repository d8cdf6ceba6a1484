/**
 * `fetch` for tools: refuses addresses in private networks, however they are spelled, even after a redirect. It checks
 * host names, not the addresses that they resolve to. On Cloudflare that is enough, because a Worker has no route to a
 * private network. Under `wrangler dev`, requests leave from the developer's machine, so a public name that resolves to
 * a loopback address does reach that machine (docs/tools.md, Fetch).
 */

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Thrown instead of sending a request. Tools may switch on `name`. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/**
 * Headers that must not follow a redirect to another origin: credentials (Fetch standard, HTTP-redirect fetch), and
 * headers that may identify users (W3C Baggage and Trace Context, Privacy Considerations).
 */
const CONFIDENTIAL = ["authorization", "cookie", "proxy-authorization", "baggage", "tracestate"];

/**
 * Wraps `fetch` with the check for private addresses.
 *
 * @param allowed private hosts that may be reached anyway, with the port unless it is the default one
 * @throws {AddressRefused} if the URL, or one that it redirects to, is not http(s) or is in a private network
 * @throws {TypeError} if there are too many redirects, or one needs a streamed body a second time
 */
export function guardedFetch(send: Fetch, allowed: readonly string[] = []): Fetch {
  return async (input, init) => {
    let request = new Request(input, { ...init, redirect: "manual" });
    const follow = init?.redirect ?? (input instanceof Request ? input.redirect : "follow");
    const isStream = init?.body instanceof ReadableStream;
    for (let hops = 0; ; hops++) {
      const url = new URL(request.url);
      if (!allowed.includes(url.host)) refusePrivate(url);
      // A redirect that keeps the method sends the body again, and a body can only be read once. A stream may be larger
      // than memory, so it is not copied (nor is it sent again in the Fetch standard, HTTP-redirect fetch). That of a
      // `Request` is: nothing tells whether its body was a text.
      const again = request.body === null || isStream || follow !== "follow" ? undefined : request.clone();
      const response = await send(request);
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null || follow === "manual") {
        // Unread, it would stay in memory.
        again?.body?.cancel().catch(() => {});
        return response;
      }
      if (follow === "error" || hops === MAX_REDIRECTS) throw new TypeError("Too many redirects");
      // An unread response occupies one of the few connections that a Worker may have open.
      await response.body?.cancel();
      request = redirected(again ?? request, response.status, new URL(location, request.url));
    }
  };
}

function redirected(request: Request, status: number, url: URL): Request {
  const headers = new Headers(request.headers);
  if (url.origin !== new URL(request.url).origin) for (const name of CONFIDENTIAL) headers.delete(name);
  const toGet = status === 303 ? request.method !== "HEAD" : status < 303 && request.method === "POST";
  const { method, signal } = request;
  if (!toGet) {
    if (request.bodyUsed)
      throw new TypeError(`The body is a stream, which cannot be sent again after the redirect to ${url.host}`);
    return new Request(url, { method, headers, signal, redirect: "manual", body: request.body });
  }
  for (const name of ["content-type", "content-length", "content-encoding"]) headers.delete(name);
  return new Request(url, { method: "GET", headers, signal, redirect: "manual" });
}

/** @throws {AddressRefused} unless `url` is http(s) and its host is public */
export function refusePrivate(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressRefused("Only http and https addresses can be fetched");
  }
  if (!isInside(url)) return;
  // Do not call an unknown name private: it may only be misspelled.
  const problem = isAddress(url)
    ? `${url.hostname} is an address in a private network`
    : `${url.hostname} is not a name on the public internet`;
  throw new AddressRefused(
    `${problem}. If tools may fetch from it, add "${url.host}" to ALLOWED_HOSTS in the settings file`,
  );
}

function isAddress({ hostname }: URL): boolean {
  return hostname.startsWith("[") || /^[\d.]+$/.test(hostname) || /(^|\.)localhost\.*$/.test(hostname);
}

/** Whether a URL's host is this machine or in a private network. */
export function isInside(url: URL): boolean {
  // The URL parser has already turned 0x7f.1, 2130706433, 127.1 and full-width digits into four decimal numbers.
  const host = url.hostname.replace(/\.+$/, "").toLowerCase();
  return host.startsWith("[") ? isPrivateV6(host) : PRIVATE_V4.test(host) || LOCAL_NAME.test(host);
}

/** A name without a dot, or with a suffix that is reserved or used for private networks. */
const LOCAL_NAME =
  /^[^.]*$|\.(localhost|localdomain|local|internal|intranet|home|home\.arpa|lan|corp|private|svc|test|invalid|onion)$/;

/** IANA's special-purpose IPv4 blocks, in dotted decimal. */
const PRIVATE_V4 = new RegExp(
  `^(${[
    String.raw`0|10|127|22[4-9]|2[3-5]\d`,
    String.raw`100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])`,
    String.raw`169\.254|172\.(1[6-9]|2\d|3[01])`,
    String.raw`192\.(168|0\.[02]|88\.99)`,
    String.raw`198\.(1[89]|51\.100)|203\.0\.113`,
  ].join("|")})(\\.\\d+){1,3}$`,
);

/**
 * Only global unicast (2000::/3) is public, except for addresses that embed an IPv4 address (Teredo, 6to4) and those
 * for documentation. 64:ff9b::/96 (NAT64) counts as private, because its target is not known here.
 *
 * @param host in brackets, as the URL parser spells it
 */
function isPrivateV6(host: string): boolean {
  // `::` stands for a run of zeros: the group is empty and counts as 0.
  const [first = 0, second = 0] = host
    .slice(1, -1)
    .split(":")
    .map((group) => Number.parseInt(group || "0", 16));
  if (first >> 13 !== 1) return true;
  return first === 0x2001
    ? second < 0x200 || second === 0xdb8
    : first === 0x2002 || (first === 0x3fff && second < 0x1000);
}
