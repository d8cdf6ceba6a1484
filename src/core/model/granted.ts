/** What a tool gets to see of secrets, authorizations and the user's id: what it declared, and nothing else. */

export type Values = Readonly<Record<string, string>>;

export interface Granted {
  readonly secrets: Values;
  readonly authorization: Values;
  readonly userId: string | undefined;
  /** Which of these the caller supplied; undefined if none. */
  readonly fromCaller: { readonly secrets: Values; readonly authorization: Values } | undefined;
}
