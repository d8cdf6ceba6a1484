/** Finds, in the environment, the secrets and tokens that a tool needs. Prints none of them. */
import type { CallContext } from "../../client/oxp.ts";
import { USER_ID, variableOf } from "../../connect/variables.ts";
import type { Needs } from "./protocols/connection.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Found {
  /** All that the tool needs; undefined if that is nothing, or some of it is missing. */
  readonly values: CallContext | undefined;
  /** Variables that have a value. */
  readonly set: readonly string[];
  /** Variables that have none, or whose values may not be sent. */
  readonly missing: readonly string[];
}

/**
 * Finds what a tool needs. Either all of it is sent or nothing: a server does not add its own secrets to those of a
 * caller (docs/requirements.md).
 *
 * @param allowed variables whose values this server may have; undefined for all. Whoever runs a server decides what its
 *   tools need, so a stranger's server could ask for any variable
 */
export function findValues(needs: Needs | undefined, environment: Environment, allowed?: readonly string[]): Found {
  const { secrets = [], tokens = [], userId = false } = needs ?? {};
  const wanted = [...[...secrets, ...tokens].map(variableOf), ...(userId ? [USER_ID] : [])];
  const read = (variable: string) =>
    (allowed === undefined || allowed.includes(variable) ? environment[variable] : undefined) || undefined;
  const missing = wanted.filter((variable) => read(variable) === undefined);
  const set = wanted.filter((variable) => read(variable) !== undefined);
  if (wanted.length === 0 || missing.length > 0) return { values: undefined, set, missing };
  const values = {
    secrets: secrets.map((id) => ({ id, value: read(variableOf(id)) ?? "" })),
    authorization: tokens.map((id) => ({ id, token: read(variableOf(id)) ?? "" })),
    ...(userId && { user_id: read(USER_ID) ?? "" }),
  };
  return { values, set, missing };
}
