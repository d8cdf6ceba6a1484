/** What a key can grant to a client that asks for some scopes: those scopes, and the tools they open. Pure. */
import { type Catalog, lacking } from "../core/catalog.ts";
import type { Principal } from "../core/definition.ts";

export interface OfferedTool {
  /** `Calculator.Add` */
  readonly id: string;
  readonly toolkit: string;
  /** Scopes that it demands. */
  readonly scopes: readonly string[];
  /** Those of them that are not offered: the tool stays closed. */
  readonly lacks: readonly string[];
}

export interface Offer {
  readonly scopes: readonly string[];
  /** Every tool that exists for the key, at its latest version. */
  readonly tools: readonly OfferedTool[];
}

/**
 * @param asked what the client asks for
 * @param toolkit folder name, where the client asks for one toolkit only
 * @returns undefined for a toolkit that does not exist for this key
 */
export function offerOf(
  principal: Principal,
  asked: readonly string[],
  catalog: Catalog,
  toolkit: string | undefined,
): Offer | undefined {
  const visible = catalog.visibleTo(principal);
  if (toolkit !== undefined && !visible.toolkits.has(toolkit)) return undefined;
  // A scope that no tool demands guards nothing: it gets clients in, and any key grants it.
  const scopes = asked.filter(
    (scope) => !catalog.scopes.includes(scope) || lacking([scope], principal.scopes).length === 0,
  );
  const tools = visible.latest(toolkit).map(({ id, toolkit, traits }) => {
    return { id, toolkit, scopes: traits.scopes ?? [], lacks: lacking(traits.scopes, scopes) };
  });
  return { scopes, tools };
}
