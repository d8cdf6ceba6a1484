/** Finds what the owner of a new key may not have meant. None of it is an error, so the script asks or warns. */
import type { KeyTerms, ListedKey } from "../../core/ports/key-records.ts";
import type { Io } from "../lib/io.ts";
import { Mistake } from "../lib/mistake.ts";

/**
 * @param existing the keys there are
 * @param demanded scopes that tools demand, sorted; undefined if that is not known
 * @returns a sentence for each doubt
 */
export function doubts(
  { name, scopes }: KeyTerms,
  existing: readonly ListedKey[],
  demanded: readonly string[] | undefined,
): string[] {
  const twins = existing.filter(({ terms }) => terms?.name === name).map(({ id }) => id);
  const unknown = demanded ? scopes.filter((scope) => scope !== "*" && !demanded.includes(scope)) : [];
  const known = demanded?.length ? `the scopes in use are ${demanded.join(", ")}` : "no scope is in use";
  return [
    ...unknown.map((scope) => `--scopes: no tool demands "${scope}"; ${known}.`),
    ...(twins.length > 0
      ? [`There is already a key with the name "${name}" (${twins.join(", ")}): either can only be revoked by its id.`]
      : []),
  ];
}

/**
 * Asks on a terminal whether to go on. A script has nobody to ask: it gets warnings, and goes on.
 *
 * @throws {Mistake} if the answer is no
 */
export async function settle(found: readonly string[], { ask, console }: Io): Promise<void> {
  if (found.length === 0) return;
  console.error(found.map((doubt) => (ask ? doubt : `Warning: ${doubt} (--yes hides this.)`)).join("\n"));
  if (!ask) return;
  const answer = await ask("Create the key anyway? (y/N) ");
  if (!/^y(es)?$/i.test(answer.trim())) throw new Mistake("No key was created.");
}
