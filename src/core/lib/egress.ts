/**
 * The one way out for tools: `fetch` that refuses addresses inside a network, in every spelling and after each
 * redirect. It sees names, not the addresses they resolve to: that part is the platform's (a Worker on Cloudflare
 * has no route to a private network). Under `wrangler dev` requests leave from the developer's machine and nothing
 * checks what a name resolves to: a public name that resolves to loopback is reached there (README, "Tool files").
 */

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Thrown instead of a request being made. `name` is what tools switch on. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/**
 * Headers that must not follow a redirect to another origin: credentials (Fetch standard, HTTP-redirect fetch), and what
 * may name users (W3C Baggage and Trace Context, Privacy Considerations).
 */
const CONFIDENTIAL = ["authorization", "cookie", "proxy-authorization", "baggage", "tracestate"];

/**
 * @param allowed hosts inside that may be reached all the same, with their port where it is not the usual one
 * @throws {AddressRefused} where the URL, or one that it redirects to, is not http(s) or leads inside a network
 */
export function guardedFetch(send: Fetch, allowed: readonly string[] = []): Fetch {
  return async (input, init) => {
    let request = new Request(input, { ...init, redirect: "manual" });
    const follow = init?.redirect ?? (input instanceof Request ? input.redirect : "follow");
    for (let hops = 0; ; hops++) {
      const url = new URL(request.url);
      if (!allowed.includes(url.host)) refusePrivate(url);
      // A redirect that keeps its method sends the body again, and a body can be read once.
      const again = request.body === null ? undefined : request.clone();
      const response = await send(request);
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null || follow === "manual") return response;
      if (follow === "error" || hops === MAX_REDIRECTS) throw new TypeError("Too many redirects");
      // An answer that nobody reads holds one of the few connections that a call may have.
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
  if (!toGet) return new Request(url, { method, headers, signal, redirect: "manual", body: request.body });
  for (const name of ["content-type", "content-length", "content-encoding"]) headers.delete(name);
  return new Request(url, { method: "GET", headers, signal, redirect: "manual" });
}

/** @throws {AddressRefused} unless `url` is http(s) and names a host outside */
export function refusePrivate(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressRefused("Only http and https addresses can be fetched");
  }
  if (isInside(url)) throw new AddressRefused(`The address ${url.hostname} is not on the public internet`);
}

/** Whether a URL's host is this machine or in a private network. */
export function isInside(url: URL): boolean {
  // The URL parser has already turned 0x7f.1, 2130706433, 127.1 and full-width digits into four decimal numbers.
  const host = url.hostname.replace(/\.+$/, "").toLowerCase();
  return host.startsWith("[") ? isPrivateV6(host) : PRIVATE_V4.test(host) || LOCAL_NAME.test(host);
}

/** A name without a dot, or one of the endings that networks keep for themselves. */
const LOCAL_NAME =
  /^[^.]*$|\.(localhost|localdomain|local|internal|intranet|home|home\.arpa|lan|corp|private|svc|test|invalid|onion)$/;

/** IANA's special-purpose IPv4 blocks, of four decimal numbers. */
const PRIVATE_V4 =
  /^(0|10|127|22[4-9]|2[3-5]\d|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.(168|0\.[02]|88\.99)|198\.(1[89]|51\.100)|203\.0\.113)(\.\d+){1,3}$/;

/**
 * Only global unicast (2000::/3) is outside, and of that not what wraps an IPv4 address (Teredo, 6to4) or is for
 * documentation. 64:ff9b::/96 (NAT64) is inside like all else: what it leads to is not visible here.
 *
 * @param host in brackets, as the URL parser spells it
 */
function isPrivateV6(host: string): boolean {
  // A run of zeros may be left out: then the group is empty, and 0.
  const [first = 0, second = 0] = host
    .slice(1, -1)
    .split(":")
    .map((group) => Number.parseInt(group || "0", 16));
  if (first >> 13 !== 1) return true;
  return first === 0x2001
    ? second < 0x200 || second === 0xdb8
    : first === 0x2002 || (first === 0x3fff && second < 0x1000);
}
