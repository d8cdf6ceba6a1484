/** Finds what a tool needs in a call's context, and what a context lacks (OXP 1.0, Tool Definition, Requirements). */
import type { CallContext, ToolDefinition } from "./types.ts";

export interface Needs {
  /** Tokens, each with the scopes that it must have. */
  readonly authorization: readonly { readonly id: string; readonly scopes: readonly string[] }[];
  /** Ids of secrets. */
  readonly secrets: readonly string[];
  readonly userId: boolean;
}

/** @returns everything that the tool needs; for a tool that needs nothing, empty lists and false */
export function needsOf({ requirements }: Pick<ToolDefinition, "requirements">): Needs {
  const { authorization = [], secrets = [], user_id = false } = requirements ?? {};
  return {
    authorization: authorization.map(({ id, oauth2 }) => ({ id, scopes: oauth2?.scopes ?? [] })),
    secrets: secrets.map(({ id }) => id),
    userId: user_id,
  };
}

/**
 * Does not check whether a token has the scopes.
 *
 * @returns what the tool needs that is not in the context; undefined if nothing is missing
 */
export function missingOf(tool: Pick<ToolDefinition, "requirements">, context: CallContext): Needs | undefined {
  const needs = needsOf(tool);
  const has = (list: readonly { readonly id: string }[] | undefined, wanted: string) =>
    (list ?? []).some(({ id }) => id === wanted);
  const authorization = needs.authorization.filter(({ id }) => !has(context.authorization, id));
  const secrets = needs.secrets.filter((id) => !has(context.secrets, id));
  const userId = needs.userId && context.user_id === undefined;
  return authorization.length > 0 || secrets.length > 0 || userId ? { authorization, secrets, userId } : undefined;
}

/** @returns the values of both contexts. If both have a value for the same id, that of `over` is taken */
export function mergeContexts(base: CallContext | undefined, over: CallContext | undefined): CallContext {
  const authorization = byId(base?.authorization, over?.authorization);
  const secrets = byId(base?.secrets, over?.secrets);
  const user_id = over?.user_id ?? base?.user_id;
  return {
    ...(authorization.length > 0 && { authorization }),
    ...(secrets.length > 0 && { secrets }),
    ...(user_id !== undefined && { user_id }),
  };
}

/** The values that must not be shown: secrets and tokens, but not the user's id. */
export function secretsIn({ secrets = [], authorization = [] }: CallContext = {}): string[] {
  return [...secrets.map(({ value }) => value), ...authorization.map(({ token }) => token)];
}

function byId<Item extends { readonly id: string }>(base: readonly Item[] = [], over: readonly Item[] = []): Item[] {
  return [...new Map([...base, ...over].map((item) => [item.id, item])).values()];
}
