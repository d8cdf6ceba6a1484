/** Changes that clients are notified of. */

/** A change that a tool can report: of the list of tools, prompts or resources, or of the contents of one resource. */
export type Change =
  | { readonly of: "tools" | "prompts" | "resources" }
  | { readonly of: "resource"; readonly uri: string };

export type Published =
  | Change
  /** There is an event of this name in the outbox of the principal with this partition. */
  | { readonly of: "event"; readonly name: string; readonly partition: string }
  | { readonly of: "task"; readonly id: string };

/** Longest URI, in characters, that a client can subscribe to: stores keep it for as long as the subscription lasts. */
export const MAX_SUBSCRIBED_URI = 500;
