/** The principal: who calls, and what they may use. */

/** Principal id of a caller without a credential, if none is required. */
export const ANONYMOUS = "anonymous";

/**
 * Property that tells principals with the same id apart. It is a symbol because tools get the principal and may log or
 * send it: JSON, structured clones and calls to other Workers omit symbols.
 */
export const PARTITION: unique symbol = Symbol("partition");

/**
 * Property for the grant of a principal that signed in with an API key. People who share a key each have their own
 * grant. Rate limits ignore it.
 */
export const GRANT: unique symbol = Symbol("grant");

/** Who calls, identified by a key or by issuer and subject, and what they may use. */
export interface Principal {
  /** `anonymous`, `key:…` or `jwt:…`: short, the same for every token of one subject, without personal data. */
  readonly id: string;
  /** Folder names of the toolkits that are visible to it; absent for all. */
  readonly toolkits?: readonly string[] | undefined;
  /** Granted scopes; `all` for the deployment's owner. */
  readonly scopes: readonly string[] | "all";
  /** `scopes`, and those that it could still obtain (OAuth step-up): tools that demand only these are visible to it. */
  readonly reach: readonly string[] | "all";
  /** Requests per minute, if it has its own limit. */
  readonly rate?: number | undefined;
  /** Rate-limit and idempotency partition of a principal that shares its id with others. */
  readonly [PARTITION]?: () => string;
  /** The grant, if it signed in with a key. */
  readonly [GRANT]?: string;
}

/** Rate-limit and idempotency partition: the id, and for anonymous callers, who share an id, also their address. */
export function partitionOf(principal: Principal): string {
  return principal[PARTITION]?.() ?? principal.id;
}

/** Whether the id belongs to one caller. Callers without a credential share one, as do tokens without a subject. */
export function isNamed(principal: Principal): boolean {
  return principal.id !== ANONYMOUS && principal[PARTITION] === undefined;
}

/** Whether what it stores can belong to it alone: it is named, or the owner under `npm start`. */
export function isIdentified(
  principal: Principal,
  { isLocal = false }: { readonly isLocal?: boolean | undefined },
): boolean {
  return isLocal || isNamed(principal);
}

/**
 * Whether all calls with this credential come from one user. Several users may share an API key.
 *
 * @param userId the user that the caller names
 */
export function isOneUser(principal: Principal, userId: string | undefined): boolean {
  return isNamed(principal) && (principal.id.startsWith("jwt:") || principal[GRANT] !== undefined || Boolean(userId));
}

const NONE: readonly string[] = [];

export function lacking(demanded: readonly string[] = NONE, granted: Principal["scopes"]): readonly string[] {
  return granted === "all" || demanded.length === 0 ? NONE : demanded.filter((scope) => !granted.includes(scope));
}

export function granted(declared: readonly string[], scopes: Principal["scopes"]): readonly string[] {
  return scopes === "all" ? declared : declared.filter((scope) => scopes.includes(scope));
}
