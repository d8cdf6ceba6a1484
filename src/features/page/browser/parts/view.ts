/** Parts that all views of the page share. */

import type { Access } from "../api/access.ts";
import { type Child, fill, h } from "../lib/dom.ts";
import type { Catalog } from "../lib/model.ts";

export interface Page {
  readonly access: Access;
  readonly catalog: Catalog;
  /** Where users of hosts sign in: at this server, or at an identity provider. */
  readonly signIn: "own" | "provider" | undefined;
}

/** A view with its heading, which gets the focus when the view opens. On phones, a link leads back to the list. */
export function view(title: Child, ...children: readonly Child[]): HTMLElement {
  const back = h("a.back", { href: "#/" }, "‹ All tools");
  return h("div.view", back, h("h2", { tabindex: "-1" }, title), children);
}

export function failed(error: unknown): HTMLElement {
  return h("p.box.bad", { role: "alert" }, error instanceof Error ? error.message : String(error));
}

export async function loadInto(place: HTMLElement, load: () => Promise<Child>): Promise<void> {
  fill(place, h("p.status", "Loading…"));
  fill(place, await load().catch(failed));
}

/**
 * A button that leads to the server's own sign-in, if that is on. Empty until that is known.
 *
 * @param scopes to ask for, besides those that everyone is asked for
 */
export function signInOffer(access: Access, scopes: readonly string[]): HTMLElement {
  const place = h("div");
  const leave = () => void access.signIn(scopes).catch((error) => fill(place, failed(error)));
  const label = scopes.length > 0 ? `Sign in with ${scopes.join(", ")}` : "Sign in";
  // If the server cannot be reached, the person has been told so.
  const offer = (where?: string) =>
    where === "own" && fill(place, h("p.acts", h("button.main", { click: leave }, label)));
  access.signInAt().then(offer, () => {});
  return place;
}
