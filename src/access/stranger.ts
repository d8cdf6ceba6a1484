/** Who shows no credential: under `npm start` the owner, on a public deployment anyone, elsewhere nobody. */
import type { Principal } from "../core/definition.ts";
import { ANONYMOUS } from "../core/principal.ts";

/** The owner, on a machine that nobody else reaches. */
const AT_HOME: Principal = Object.freeze({ id: ANONYMOUS, meter: ANONYMOUS, scopes: "all", reach: "all" });

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
  return (headers) => new Stranger(headers, reach);
}

const NOTHING: readonly string[] = Object.freeze([]);

class Stranger implements Principal {
  readonly id = ANONYMOUS;
  readonly scopes = NOTHING;
  readonly reach: Principal["reach"];
  readonly #headers: Headers;

  constructor(headers: Headers, reach: Principal["reach"]) {
    this.reach = reach;
    this.#headers = headers;
  }

  /** Asked for only where somebody counts; and no address is in what a tool makes of its principal. */
  get meter(): string {
    return `${ANONYMOUS} ${addressOf(this.#headers)}`;
  }
}

/** Where a request comes from: of an IPv6 address the part that its owner cannot choose, the first 64 bits. */
export function addressOf(headers: Headers): string {
  const address = headers.get("cf-connecting-ip") ?? "";
  return address.includes(":") ? (address.split("::")[0] ?? "").split(":").slice(0, 4).join(":") : address;
}
