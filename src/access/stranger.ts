/** Who shows no credential: under `npm start` the owner, on a public deployment anyone, elsewhere nobody. */
import type { Principal } from "../core/definition.ts";
import { ANONYMOUS, OWNER } from "../core/principal.ts";

/** The owner, on a machine that nobody else reaches. */
const AT_HOME: Principal = Object.freeze({ id: ANONYMOUS, scopes: "all", reach: "all" });

/**
 * @param canSignIn whether there is somebody to get more scopes from
 * @returns undefined where nobody comes in without a credential
 */
export function strangers(
  { isLocal, isPublic }: { readonly isLocal: boolean; readonly isPublic: boolean },
  canSignIn: boolean,
): ((headers: Headers) => Principal) | undefined {
  if (isLocal) return () => AT_HOME;
  if (!isPublic) return undefined;
  const reach = canSignIn ? "all" : NOTHING;
  return (headers) => ({
    id: ANONYMOUS,
    scopes: NOTHING,
    reach,
    // Asked for only where somebody counts.
    [OWNER]: () => `${ANONYMOUS} ${addressOf(headers)}`,
  });
}

const NOTHING: readonly string[] = Object.freeze([]);

/** Where a request comes from: of an IPv6 address the part that its owner cannot choose, the first 64 bits. */
export function addressOf(headers: Headers): string {
  const address = headers.get("cf-connecting-ip") ?? "";
  return address.includes(":") ? (address.split("::")[0] ?? "").split(":").slice(0, 4).join(":") : address;
}
