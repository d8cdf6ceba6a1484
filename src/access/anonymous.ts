/** Who shows no credential: under `npm start` the owner, on a public deployment anyone, elsewhere nobody. */

import { keepMap } from "../core/lib/v8-maps.ts";
import type { Principal } from "../core/model/principal.ts";
import { ANONYMOUS, PARTITION } from "../core/model/principal.ts";

/** The owner, on a machine that nobody else reaches. */
const AT_HOME: Principal = Object.freeze({ id: ANONYMOUS, scopes: "all", reach: "all" });

/**
 * @param canSignIn whether there is somebody to get more scopes from
 * @returns undefined where nobody comes in without a credential
 */
export function anonymousAccess(
  { isLocal, isPublic }: { readonly isLocal: boolean; readonly isPublic: boolean },
  canSignIn: boolean,
): ((headers: Headers) => Principal) | undefined {
  if (isLocal) return () => AT_HOME;
  if (!isPublic) return undefined;
  const reach = canSignIn ? "all" : NOTHING;
  const stranger = (headers: Headers): Principal => {
    // Asked for only where somebody counts. Named here: V8 takes ten times as long over one named by a symbol.
    const owner = () => `${ANONYMOUS} ${addressOf(headers)}`;
    return { id: ANONYMOUS, scopes: NOTHING, reach, [PARTITION]: owner };
  };
  keepMap(stranger(new Headers()));
  return stranger;
}

const NOTHING: readonly string[] = Object.freeze([]);

/** Where a request comes from: of an IPv6 address the part that its owner cannot choose, the first 64 bits. */
export function addressOf(headers: Headers): string {
  const address = headers.get("cf-connecting-ip") ?? "";
  if (!address.includes(":")) return address;
  // An IPv4 address in IPv6's clothes.
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [before = [], after] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = after === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...(after ?? [])].slice(0, 4).map(withoutZeros).join(":");
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, "").toLowerCase();
}
