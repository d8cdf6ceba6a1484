/**
 * The one way out for tools: `fetch` that refuses addresses inside a network, in every spelling and after each
 * redirect. It sees names, not the addresses they resolve to: that part is the platform's (a Worker on Cloudflare
 * has no route to a private network).
 */

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Thrown instead of a request being made. `name` is what tools switch on. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that must not follow a redirect to another origin (Fetch standard, HTTP-redirect fetch). */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];

/** @throws {AddressRefused} where the URL, or one that it redirects to, is not http(s) or leads inside a network */
export function guardedFetch(send: Fetch): Fetch {
  return async (input, init) => {
    let request = new Request(input, { ...init, redirect: "manual" });
    const follow = init?.redirect ?? (input instanceof Request ? input.redirect : "follow");
    for (let hops = 0; ; hops++) {
      refusePrivate(new URL(request.url));
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
  if (url.origin !== new URL(request.url).origin) for (const name of CREDENTIALS) headers.delete(name);
  const toGet = status === 303 ? request.method !== "HEAD" : status < 303 && request.method === "POST";
  const { method, signal } = request;
  if (!toGet) return new Request(url, { method, headers, signal, redirect: "manual", body: request.body });
  for (const name of ["content-type", "content-length", "content-encoding"]) headers.delete(name);
  return new Request(url, { method: "GET", headers, signal, redirect: "manual" });
}

/** @throws {AddressRefused} unless `url` is http(s) and names a host outside */
export function refusePrivate(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressRefused(`Only http and https addresses can be fetched, not ${url.protocol}`);
  }
  // The URL parser has already turned 0x7f.1, 2130706433, 127.1 and full-width digits into four decimal numbers.
  const host = url.hostname.replace(/\.+$/, "").toLowerCase();
  const inside = host.startsWith("[") ? isPrivateV6(host.slice(1, -1)) : isPrivateV4(host) || isLocalName(host);
  if (inside) throw new AddressRefused(`The address ${host} is not on the public internet`);
}

function isLocalName(host: string): boolean {
  return (
    !host.includes(".") || /\.(localhost|localdomain|local|internal|intranet|home\.arpa|lan|corp|private)$/.test(host)
  );
}

/** IANA's special-purpose IPv4 blocks: first address and prefix length. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

function isPrivateV4(host: string): boolean {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return false;
  const address = v4ToNumber(host);
  return PRIVATE_V4.some(([block, bits]) => address >>> (32 - bits) === v4ToNumber(block) >>> (32 - bits));
}

function v4ToNumber(host: string): number {
  return host.split(".").reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0);
}

/** Only global unicast (2000::/3) is outside, and of that not what wraps an IPv4 address or is for documentation. */
function isPrivateV6(host: string): boolean {
  const groups = expandV6(host);
  const [first = 0, second = 0] = groups;
  if ((first & 0xe000) !== 0x2000) {
    // 64:ff9b::/96 (NAT64) is refused with the rest: what it leads to is not visible here.
    return true;
  }
  const isTeredoOrDocs = first === 0x2001 && (second === 0 || second === 0xdb8 || second < 0x200);
  const is6to4 = first === 0x2002;
  return isTeredoOrDocs || is6to4 || (first === 0x3fff && second < 0x1000);
}

function expandV6(host: string): number[] {
  const [head = "", tail] = host.split("::");
  const parse = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const left = parse(head);
  if (tail === undefined) return left;
  const right = parse(tail);
  return [...left, ...Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
}
