/** Lists the secrets and tokens that a Worker must have for its definitions. */
import type { Requirements } from "../../core/model/definition.ts";

/**
 * What the account should have of a definition's requirements. Tokens come from callers, unless the definition says
 * that they are the Worker's.
 */
export function valuesOf({ secrets = [], authorization = [] }: Requirements = {}) {
  const named = secrets.map((secret) => (typeof secret === "string" ? { id: secret, from: undefined } : secret));
  const own = authorization.filter(({ from }) => from === "worker");
  const all = [...named.filter(({ from }) => from !== "caller"), ...own];
  // `isOwn`: callers cannot send it.
  return all.map(({ id, from }) => ({ name: id, isOwn: from === "worker" }));
}
