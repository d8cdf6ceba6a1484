/** Who calls, and what that opens. */

/** The id of whoever shows no credential where none is asked for. */
export const ANONYMOUS = "anonymous";

/**
 * Where a principal that shares its id with others says who of them it is. A symbol, as tools get the principal and may
 * show or send it: what JSON, structured clones and calls of other Workers are made of leaves it out.
 */
export const PARTITION: unique symbol = Symbol("owner");

/**
 * Where a principal says by which grant it came, if people who share an API key sign in with it: each has one of their
 * own. Limits do not count by it.
 */
export const GRANT: unique symbol = Symbol("grant");

/** Who is calling: a key or an (issuer, subject), never a token's text; and what that opens. */
export interface Principal {
  /** `anonymous`, `key:…` or `jwt:…`: short, the same for every token of one subject, and free of personal data. */
  readonly id: string;
  /** Folder names of the toolkits that exist for it; absent for all. */
  readonly toolkits?: readonly string[] | undefined;
  /** Scopes that it was granted, for tools that demand some; `all` for whoever owns the place. */
  readonly scopes: readonly string[] | "all";
  /**
   * Scopes that it could come back with (OAuth, "step-up"): it sees tools that demand these. No fewer than `scopes`.
   */
  readonly reach: readonly string[] | "all";
  /** Requests a minute that it may make, where it has a limit of its own. */
  readonly rate?: number | undefined;
  /** Who of them it is, where others share its id. */
  readonly [PARTITION]?: () => string;
  /** The grant that it came by, if it signed in with a key. */
  readonly [GRANT]?: string;
}

/** Rate-limit and idempotency partition: the id; for anonymous callers, who share one, their address too. */
export function partitionOf(principal: Principal): string {
  return principal[PARTITION]?.() ?? principal.id;
}

/** Whether the id is one caller's, and not that of all who show no credential, or a token that names no subject. */
export function isNamed(principal: Principal): boolean {
  return principal.id !== ANONYMOUS && principal[PARTITION] === undefined;
}

const NONE: readonly string[] = [];

/** The scopes that are demanded and were not granted. */
export function lacking(demanded: readonly string[] = NONE, granted: Principal["scopes"]): readonly string[] {
  return granted === "all" || demanded.length === 0 ? NONE : demanded.filter((scope) => !granted.includes(scope));
}

/** The declared scopes that were granted. */
export function granted(declared: readonly string[], scopes: Principal["scopes"]): readonly string[] {
  return scopes === "all" ? declared : declared.filter((scope) => scopes.includes(scope));
}
