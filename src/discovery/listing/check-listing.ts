/** Checks a tool by the rules of what hosts accept in a listing. */
import type { ListingRule } from "../../core/model/tool-description.ts";
import { type Breach, type Listed, RULES } from "./rules.ts";

export const RULE_NAMES = Object.keys(RULES) as readonly ListingRule[];

/** @returns `refused`: what keeps the tool from being listed. `warned`: what its author should know */
export function checkListing(
  tool: Listed,
  allowed: readonly ListingRule[],
  serverName: string,
): { refused: Breach[]; warned: Breach[] } {
  const found = { refused: [] as Breach[], warned: [] as Breach[] };
  for (const name of RULE_NAMES) {
    const { effect, check } = RULES[name];
    const [breach, ...others] = check(tool, serverName);
    const isAllowed = allowed.includes(name);
    if (breach === undefined) {
      if (!isAllowed) continue;
      const problem = `its listing allows "${name}", and nothing in it needs that`;
      found.warned.push({ problem, fix: `remove "${name}" from listing: { allow: […] }` });
    } else if (!isAllowed && effect !== "rewritten") {
      const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
      const problem = `${breach.problem}${more}`;
      const fix = `${breach.fix}; or write listing: { allow: ["${name}"] } (docs/listings.md)`;
      found[effect].push({ problem, fix });
    }
  }
  return found;
}
