/** Offers the server's own sign-in, where that is on. */

import type { Access } from "../api/access.ts";
import { fill, h } from "../lib/dom.ts";

/**
 * A button that leads to the server's own sign-in, if that is on. Empty until that is known.
 *
 * @param scopes to ask for, besides those that everyone is asked for
 */
export function signInOffer(access: Access, scopes: readonly string[]): HTMLElement {
  const place = h("div");
  const failed = (error: unknown) =>
    fill(place, h("p.box.bad", { role: "alert" }, error instanceof Error ? error.message : String(error)));
  const leave = () => void access.signIn(scopes).catch(failed);
  const label = scopes.length > 0 ? `Sign in with ${scopes.join(", ")}` : "Sign in";
  access.signInAt().then(
    (where) => {
      if (where === "own") fill(place, h("p.acts", h("button.main", { click: leave }, label)));
    },
    // Whoever cannot reach the server has been told so.
    () => {},
  );
  return place;
}
