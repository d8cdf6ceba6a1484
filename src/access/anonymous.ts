/**
 * The principal of a request without a credential: the owner under `npm start`, an anonymous caller on a public
 * deployment. Other deployments refuse such requests.
 */

import { ANONYMOUS, PARTITION, type Principal } from "../core/model/principal.ts";

/** The principal under `npm start`, on a machine that nobody else can reach. */
const LOCAL_OWNER: Principal = Object.freeze({ id: ANONYMOUS, scopes: "all", reach: "all" });

/**
 * @param canSignIn whether callers can get more scopes through OAuth
 * @returns a function from request headers to principal, or undefined if every request needs a credential
 */
export function anonymousAccess(
  { isLocal, isPublic }: { readonly isLocal: boolean; readonly isPublic: boolean },
  canSignIn: boolean,
): ((headers: Headers) => Principal) | undefined {
  if (isLocal) return () => LOCAL_OWNER;
  if (!isPublic) return undefined;
  const reach = canSignIn ? "all" : NOTHING;
  return (headers) => {
    // Lazy, because only rate limits and idempotency need it. A const, because V8 takes ten times as long to create a
    // function that gets its name from a symbol.
    const partition = () => `${ANONYMOUS} ${addressOf(headers)}`;
    return { id: ANONYMOUS, scopes: NOTHING, reach, [PARTITION]: partition };
  };
}

const NOTHING: readonly string[] = Object.freeze([]);

/** The client's address. Only the first 64 bits of an IPv6 address: a client can choose the rest freely. */
export function addressOf(headers: Headers): string {
  const address = headers.get("cf-connecting-ip") ?? "";
  if (!address.includes(":")) return address;
  // An IPv4-mapped IPv6 address.
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [before = [], after] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = after === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...(after ?? [])].slice(0, 4).map(withoutZeros).join(":");
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, "").toLowerCase();
}
