/** Meets a tool's requirements from the call's context, then from Worker secrets of the same name. */
import type { CallContext } from "./call.ts";
import type { Requirements } from "./definition.ts";
import type { Missing } from "./outcome.ts";

/** What a tool gets to see: the values it declared and no others. */
export interface Met {
  readonly secrets: Readonly<Record<string, string>>;
  readonly authorization: Readonly<Record<string, string>>;
  readonly userId: string | undefined;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});
const MET = { met: { secrets: NOTHING, authorization: NOTHING, userId: undefined } };

/** @param workerSecret the Worker's own secret of that name, if it has one */
export function meet(
  required: Requirements | undefined,
  context: CallContext,
  workerSecret: (name: string) => string | undefined,
): { met: Met } | { missing: Missing } {
  if (required === undefined) return MET;
  const secrets = collect(required.secrets ?? [], context.secrets, workerSecret);
  const authorization = collect(
    (required.authorization ?? []).map(({ id }) => id),
    context.authorization,
    workerSecret,
  );
  const needsUser = required.userId === true;
  const userId = needsUser && !context.userId;
  if (userId || secrets.missing.length > 0 || authorization.missing.length > 0) {
    return { missing: { secrets: secrets.missing, authorization: authorization.missing, userId } };
  }
  return {
    met: {
      secrets: secrets.values,
      authorization: authorization.values,
      userId: needsUser ? context.userId : undefined,
    },
  };
}

function collect(
  ids: readonly string[],
  given: ReadonlyMap<string, string>,
  workerSecret: (name: string) => string | undefined,
): { values: Record<string, string>; missing: string[] } {
  const values: Record<string, string> = Object.create(null);
  const missing: string[] = [];
  for (const id of ids) {
    // An empty value is a missing one: no service accepts it, and the caller learns here what to send.
    const value = given.get(id) || workerSecret(id);
    if (value) values[id] = value;
    else missing.push(id);
  }
  return { values, missing };
}
