/** The secrets, authorizations and user id that a tool receives: those that it declared, and no others. */

export type Values = Readonly<Record<string, string>>;

export interface Granted {
  readonly secrets: Values;
  readonly authorization: Values;
  readonly userId: string | undefined;
  /** The values that the caller supplied; undefined if none. */
  readonly fromCaller: { readonly secrets: Values; readonly authorization: Values } | undefined;
}
