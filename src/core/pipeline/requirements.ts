/**
 * Meets a tool's requirements from the call's context, or from Worker secrets of the same names: never a mix of both.
 */
import type { CallContext } from "../model/call.ts";
import type { Requirements, Supplier } from "../model/definition.ts";
import type { Granted, Values } from "../model/granted.ts";
import type { Missing } from "../model/outcome.ts";

type Named = string | { readonly id: string; readonly from?: Supplier };

const NOTHING: Values = Object.freeze({});
const NOTHING_REQUIRED = {
  granted: { secrets: NOTHING, authorization: NOTHING, userId: undefined, fromCaller: undefined },
};

/** @param workerSecret the Worker's own secret of that name, if it has one */
export function resolveRequirements(
  required: Requirements | undefined,
  context: CallContext,
  workerSecret: (name: string) => string | undefined,
): { granted: Granted } | { missing: Missing } {
  if (required === undefined) return NOTHING_REQUIRED;
  const { secrets = [], authorization = [], userId: needsUser = false } = required;
  // Values that belong together come from one side, or a caller could have the Worker's secret sent to an address of
  // its own.
  const brings = bringsSome(secrets, context.secrets) || bringsSome(authorization, context.authorization);
  const side: Supplier = brings ? "caller" : "worker";
  const found = {
    secrets: collect(secrets, context.secrets, side, workerSecret),
    authorization: collect(authorization, context.authorization, side, workerSecret),
  };
  const missing = {
    secrets: found.secrets.missing,
    authorization: found.authorization.missing,
    ofWorker: [...found.secrets.ofWorker, ...found.authorization.ofWorker],
    userId: needsUser && !context.userId,
  };
  const isWhole = [missing.secrets, missing.authorization, missing.ofWorker].every(({ length }) => length === 0);
  if (!isWhole || missing.userId) return { missing };
  return {
    granted: {
      secrets: found.secrets.values,
      authorization: found.authorization.values,
      userId: needsUser ? context.userId : undefined,
      fromCaller: fromCaller(required, context),
    },
  };
}

/** What the caller supplies of what is required, also if that is not all; undefined if none. */
export function fromCaller(required: Requirements | undefined, context: CallContext): Granted["fromCaller"] {
  const { secrets = [], authorization = [] } = required ?? {};
  if (!bringsSome(secrets, context.secrets) && !bringsSome(authorization, context.authorization)) return undefined;
  return { secrets: brought(secrets, context.secrets), authorization: brought(authorization, context.authorization) };
}

/** Name and side of a requirement, however it is written. */
export function named(item: Named): { readonly id: string; readonly from?: Supplier } {
  return typeof item === "string" ? { id: item } : item;
}

/** Whether the caller supplies any of what it may supply. */
function bringsSome(items: readonly Named[], given: ReadonlyMap<string, string>): boolean {
  return items.length > 0 && Object.keys(brought(items, given)).length > 0;
}

/** What the caller supplies of what it may supply. An empty value is none: no service accepts it. */
function brought(items: readonly Named[], given: ReadonlyMap<string, string>): Values {
  const values: Record<string, string> = Object.create(null);
  for (const { id, from } of items.map(named)) {
    const value = from === "worker" ? undefined : given.get(id);
    if (value) values[id] = value;
  }
  return values;
}

interface Collected {
  readonly values: Record<string, string>;
  readonly missing: string[];
  readonly ofWorker: string[];
}

/** @param side source of values without `from` */
function collect(
  items: readonly Named[],
  given: ReadonlyMap<string, string>,
  side: Supplier,
  workerSecret: (name: string) => string | undefined,
): Collected {
  const made: Collected = { values: Object.create(null), missing: [], ofWorker: [] };
  for (const { id, from } of items.map(named)) {
    const isCallers = (from ?? side) === "caller";
    const value = isCallers ? given.get(id) : workerSecret(id);
    // An empty value is a missing one: the caller learns here what to send.
    if (!value) (from === "worker" ? made.ofWorker : made.missing).push(id);
    else made.values[id] = value;
  }
  return made;
}
