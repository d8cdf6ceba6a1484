/** Works out what a key can grant to a client: which of the requested scopes, and what these give access to. Pure. */
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Demands } from "../../core/model/definition.ts";
import { lacking, type Principal } from "../../core/model/principal.ts";

/** A tool, a prompt or a resource. */
export interface Offered {
  readonly kind: "tool" | "prompt" | "resource";
  /** `Calculator.Add` for a tool; the listed name of a prompt or a resource. */
  readonly id: string;
  readonly toolkit: string;
  /** Scopes that it demands. */
  readonly scopes: readonly string[];
  /** Demanded scopes that are not part of the offer. If there are any, the client will not be able to use it. */
  readonly lacks: readonly string[];
}

export interface Offer {
  /** Requested scopes that the key can grant. */
  readonly scopes: readonly string[];
  /** Everything that the key can see: tools at their latest version, then prompts, then resources. */
  readonly offered: readonly Offered[];
}

/**
 * @param requested scopes that the client asks for
 * @param toolkit folder name, if the client asks for one toolkit only
 * @returns undefined if this key cannot see the toolkit
 */
export function offerOf(
  principal: Principal,
  requested: readonly string[],
  catalog: Catalog,
  toolkit: string | undefined,
): Offer | undefined {
  const visible = catalog.visibleTo(principal);
  if (toolkit !== undefined && !visible.toolkits.has(toolkit)) return undefined;
  // A scope that nothing demands protects nothing, so any key can grant it: clients use such scopes just to connect.
  const scopes = requested.filter(
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
