/** News of what a client may have listed or read before. */

export type Change =
  | { readonly of: "tools" | "prompts" | "resources" }
  | { readonly of: "resource"; readonly uri: string };

/** Characters of a URI that can be heard about: a store keeps it for as long as somebody wants to. */
export const MAX_SUBSCRIBED_URI = 500;
