/** What a key can grant to a client that asks for some scopes: those scopes, and what they open. Pure. */
import type { Catalog } from "../core/catalog/catalog.ts";
import type { Demands } from "../core/model/definition.ts";
import type { Principal } from "../core/model/principal.ts";
import { lacking } from "../core/model/principal.ts";

/** A tool, a prompt or a resource. */
export interface Offered {
  readonly kind: "tool" | "prompt" | "resource";
  /** Of a tool, `Calculator.Add`; of the others, what clients are told to call them. */
  readonly id: string;
  readonly toolkit: string;
  /** Scopes that it demands. */
  readonly scopes: readonly string[];
  /** Those of them that are not offered: it stays closed. */
  readonly lacks: readonly string[];
}

export interface Offer {
  readonly scopes: readonly string[];
  /** All that exists for the key: tools at their latest version, then prompts, then resources. */
  readonly offered: readonly Offered[];
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
  // A scope that nothing demands guards nothing: it gets clients in, and any key grants it.
  const scopes = asked.filter(
    (scope) => !catalog.scopes.includes(scope) || lacking([scope], principal.scopes).length === 0,
  );
  const offer = (kind: Offered["kind"], id: string, toolkit: string, { scopes: demanded = [] }: Demands): Offered => {
    return { kind, id, toolkit, scopes: demanded, lacks: lacking(demanded, scopes) };
  };
  const offered = [
    ...visible.latest(toolkit).map(({ id, toolkit, traits }) => offer("tool", id, toolkit, traits)),
    ...visible.prompts(toolkit).map(({ name, toolkit, traits }) => offer("prompt", name, toolkit, traits)),
    ...visible.resources(toolkit).map(({ about, toolkit, traits }) => offer("resource", about.name, toolkit, traits)),
  ];
  return { scopes, offered };
}
