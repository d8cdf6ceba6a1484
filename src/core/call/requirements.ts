/**
 * Fills a tool's requirements from the call's context, or from Worker secrets of the same names, but never from both.
 */
import type { CallContext, Granted, Values } from "../model/call.ts";
import type { Requirements, Supplier } from "../model/definition.ts";
import type { Missing } from "../model/outcome.ts";

type Named = string | { readonly id: string; readonly from?: Supplier };

const NOTHING: Values = Object.freeze({});
export const NOTHING_REQUIRED = {
  granted: { secrets: NOTHING, authorization: NOTHING, userId: undefined, fromCaller: undefined },
};

/**
 * Collects the required values, or lists those that are missing.
 *
 * @param workerSecret returns the Worker's secret of a name, if it has one
 */
export function resolveRequirements(
  required: Requirements,
  context: CallContext,
  workerSecret: (name: string) => string | undefined,
): { granted: Granted } | { missing: Missing } {
  const { secrets = [], authorization = [], userId: needsUser = false } = required;
  // All values come from one supplier. Otherwise a caller could supply the address to which the Worker's secret is
  // sent.
  const doesSupply = suppliesAny(secrets, context.secrets) || suppliesAny(authorization, context.authorization);
  const supplier: Supplier = doesSupply ? "caller" : "worker";
  const found = {
    secrets: collect(secrets, context.secrets, supplier, workerSecret),
    authorization: collect(authorization, context.authorization, supplier, workerSecret),
  };
  const missing = {
    secrets: found.secrets.missing,
    authorization: found.authorization.missing,
    ofWorker: [...found.secrets.ofWorker, ...found.authorization.ofWorker],
    userId: needsUser && !context.userId,
  };
  const isComplete = [missing.secrets, missing.authorization, missing.ofWorker].every(({ length }) => length === 0);
  if (!isComplete || missing.userId) return { missing };
  return {
    granted: {
      secrets: found.secrets.values,
      authorization: found.authorization.values,
      userId: needsUser ? context.userId : undefined,
      fromCaller: suppliedByCaller(required, context),
    },
  };
}

/** Returns the required values that the caller supplies, even if some are missing; undefined if it supplies none. */
export function suppliedByCaller(required: Requirements | undefined, context: CallContext): Granted["fromCaller"] {
  const { secrets = [], authorization = [] } = required ?? {};
  if (!suppliesAny(secrets, context.secrets) && !suppliesAny(authorization, context.authorization)) return undefined;
  return { secrets: supplied(secrets, context.secrets), authorization: supplied(authorization, context.authorization) };
}

/** Normalizes a requirement, which may be just an id. */
export function named(item: Named): { readonly id: string; readonly from?: Supplier } {
  return typeof item === "string" ? { id: item } : item;
}

function suppliesAny(items: readonly Named[], given: ReadonlyMap<string, string>): boolean {
  return items.length > 0 && Object.keys(supplied(items, given)).length > 0;
}

/** The values that the caller supplies, of those that it may supply. Ignores empty values: no service accepts them. */
function supplied(items: readonly Named[], given: ReadonlyMap<string, string>): Values {
  const values: Record<string, string> = Object.create(null);
  for (const { id, from } of items.map(named)) {
    const value = from === "worker" ? undefined : given.get(id);
    if (value) values[id] = value;
  }
  return values;
}

/** @param supplier supplies the values without `from` */
function collect(
  items: readonly Named[],
  given: ReadonlyMap<string, string>,
  supplier: Supplier,
  workerSecret: (name: string) => string | undefined,
) {
  const values: Record<string, string> = Object.create(null);
  const missing: string[] = [];
  const ofWorker: string[] = [];
  for (const { id, from } of items.map(named)) {
    const value = (from ?? supplier) === "caller" ? given.get(id) : workerSecret(id);
    // Empty values count as missing, so that the caller learns what to send.
    if (!value) (from === "worker" ? ofWorker : missing).push(id);
    else values[id] = value;
  }
  return { values, missing, ofWorker };
}
