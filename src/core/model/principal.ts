/** Principals without a name, and how they are told apart. */
import type { Principal } from "./definition.ts";

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

/** What limits count by and idempotency keys belong to: the id, and of strangers, who share one, their address too. */
export function partitionOf(principal: { readonly id: string; readonly [PARTITION]?: () => string }): string {
  return principal[PARTITION]?.() ?? principal.id;
}

/** Whether the id is one caller's, and not that of all who show no credential, or a token that names no subject. */
export function isNamed(principal: { readonly id: string; readonly [PARTITION]?: () => string }): boolean {
  return principal.id !== ANONYMOUS && principal[PARTITION] === undefined;
}

const NONE: readonly string[] = [];

/** The scopes that are demanded and were not granted. */
export function lacking(demanded: readonly string[] = NONE, granted: Principal["scopes"]): readonly string[] {
  return granted === "all" || demanded.length === 0 ? NONE : demanded.filter((scope) => !granted.includes(scope));
}

/** Of the scopes that are declared those that were granted. */
export function granted(declared: readonly string[], scopes: Principal["scopes"]): readonly string[] {
  return scopes === "all" ? declared : declared.filter((scope) => scopes.includes(scope));
}
