/** Asks who is calling: a key, which is kept in memory only, or the sign-in. */
import { fill, h } from "../lib/dom.ts";
import type { Access } from "../server/access.ts";
import { view } from "./view.ts";

/**
 * @param why what the server says: shown above the form
 * @param enter called with the key
 */
export function keyView(access: Access, why: string, enter: (key: string) => void): HTMLElement {
  const input = h("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "key-note",
  });
  const form = h(
    "form",
    {
      class: "box",
      submit: (event) => {
        event.preventDefault();
        if (input.value.trim() !== "") enter(input.value.trim());
      },
    },
    h("p", {}, h("label", { for: "key" }, h("b", {}, "Key or token"))),
    h("p", { class: "acts" }, input, h("button", { type: "submit", class: "main" }, "Use it")),
    h(
      "p",
      { id: "key-note", class: "quiet-text" },
      "It stays in the memory of this page, and is gone when you close or reload it.",
    ),
  );
  return view("This server asks who you are", h("p", { role: "status" }, why), form, signInOffer(access, []));
}

/**
 * A button that leads to the server's own sign-in, if that is on. Empty until that is known.
 *
 * @param scopes to ask for, besides those that everyone is asked for
 */
export function signInOffer(access: Access, scopes: readonly string[]): HTMLElement {
  const place = h("div", {});
  const failed = (error: unknown) =>
    fill(place, h("p", { class: "box bad", role: "alert" }, error instanceof Error ? error.message : String(error)));
  const leave = () => void access.signIn(scopes).catch(failed);
  const label = scopes.length > 0 ? `Sign in with ${scopes.join(", ")}` : "Sign in";
  access.signInOffered().then(
    (isOffered) => {
      if (isOffered)
        fill(place, h("p", { class: "acts" }, h("button", { type: "button", class: "main", click: leave }, label)));
    },
    // Whoever cannot reach the server has been told so.
    () => {},
  );
  return place;
}
