/** Changes that clients are notified of. */

/** What a tool can tell of: the list of tools, prompts or resources has changed, or the contents of one resource. */
export type Change =
  | { readonly of: "tools" | "prompts" | "resources" }
  | { readonly of: "resource"; readonly uri: string };

/** All that is published. */
export type Published =
  | Change
  /** There is an event of this name in the outbox of the principal with this partition. */
  | { readonly of: "event"; readonly name: string; readonly partition: string }
  /** The state of a task has changed. */
  | { readonly of: "task"; readonly id: string };

/** Longest URI, in characters, that a client can subscribe to: stores keep it for as long as the subscription lasts. */
export const MAX_SUBSCRIBED_URI = 500;
