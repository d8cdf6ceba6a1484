/** Changes that clients are notified of. */

/** What has changed: the list of tools, prompts or resources, or the contents of one resource. */
export type Change =
  | { readonly of: "tools" | "prompts" | "resources" }
  | { readonly of: "resource"; readonly uri: string };

/** Longest URI, in characters, that a client can subscribe to: stores keep it for as long as the subscription lasts. */
export const MAX_SUBSCRIBED_URI = 500;
