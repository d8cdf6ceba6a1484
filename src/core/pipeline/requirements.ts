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
  const fromCaller = { secrets: found.secrets.fromCaller, authorization: found.authorization.fromCaller };
  const hasSome = Object.values(fromCaller).some((values) => Object.keys(values).length > 0);
  return {
    granted: {
      secrets: found.secrets.values,
      authorization: found.authorization.values,
      userId: needsUser ? context.userId : undefined,
      fromCaller: hasSome ? fromCaller : undefined,
    },
  };
}

/** Name and side of a requirement, however it is written. */
export function named(item: Named): { readonly id: string; readonly from?: Supplier } {
  return typeof item === "string" ? { id: item } : item;
}

/** Whether the caller supplies any of what it may supply. An empty value is none: no service accepts it. */
function bringsSome(items: readonly Named[], given: ReadonlyMap<string, string>): boolean {
  return items.map(named).some(({ id, from }) => from !== "worker" && Boolean(given.get(id)));
}

interface Collected {
  readonly values: Record<string, string>;
  readonly fromCaller: Record<string, string>;
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
  const made: Collected = { values: Object.create(null), fromCaller: Object.create(null), missing: [], ofWorker: [] };
  for (const { id, from } of items.map(named)) {
    const isCallers = (from ?? side) === "caller";
    const value = isCallers ? given.get(id) : workerSecret(id);
    // An empty value is a missing one: the caller learns here what to send.
    if (!value) (from === "worker" ? made.ofWorker : made.missing).push(id);
    else {
      made.values[id] = value;
      if (isCallers) made.fromCaller[id] = value;
    }
  }
  return made;
}
