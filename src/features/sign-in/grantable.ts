/** Works out what a key can grant to a client: which of the requested scopes, and what these give access to. Pure. */
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { CommonOptions } from "../../core/model/definition.ts";
import { lacking, type Principal } from "../../core/model/principal.ts";

export interface GrantableItem {
  readonly kind: "tool" | "prompt" | "resource";
  /** `Calculator.Add` for a tool; the listed name of a prompt or a resource. */
  readonly id: string;
  readonly toolkit: string;
  readonly scopes: readonly string[];
  /**
   * Demanded scopes that the key cannot grant, or that were not requested. If there are any, the client cannot use it.
   */
  readonly lacks: readonly string[];
}

export interface Grantable {
  /** Requested scopes that the key can grant. */
  readonly scopes: readonly string[];
  /** Everything that the key can see: tools at their latest version, then prompts, then resources. */
  readonly items: readonly GrantableItem[];
}

/**
 * @param requested scopes that the client asks for
 * @param toolkit folder name, if the client asks for one toolkit only
 * @returns undefined if this key cannot see the toolkit
 */
export function grantableOf(
  principal: Principal,
  requested: readonly string[],
  catalog: Catalog,
  toolkit: string | undefined,
): Grantable | undefined {
  const visible = catalog.visibleTo(principal);
  if (toolkit !== undefined && !visible.toolkits.has(toolkit)) return undefined;
  // A scope that nothing demands protects nothing, so any key can grant it: clients use such scopes just to connect.
  const scopes = requested.filter(
    (scope) => !catalog.scopes.includes(scope) || lacking([scope], principal.scopes).length === 0,
  );
  const grantable = (
    kind: GrantableItem["kind"],
    id: string,
    toolkit: string,
    { scopes: demanded = [] }: CommonOptions,
  ): GrantableItem => {
    return { kind, id, toolkit, scopes: demanded, lacks: lacking(demanded, scopes) };
  };
  const items = [
    ...visible.latest(toolkit).map(({ id, toolkit, options }) => grantable("tool", id, toolkit, options)),
    ...visible.prompts(toolkit).map(({ name, toolkit, options }) => grantable("prompt", name, toolkit, options)),
    ...visible
      .resources(toolkit)
      .map(({ about, toolkit, options }) => grantable("resource", about.name, toolkit, options)),
  ];
  return { scopes, items };
}
