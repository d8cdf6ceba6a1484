/** Asks who is calling: a key, which is kept in memory only, or the sign-in. */

import type { Access } from "../api/access.ts";
import { h } from "../lib/dom.ts";
import { signInOffer, view } from "../parts/view.ts";

/**
 * @param why shown above the form
 * @param enter called with the key
 */
export function keyView(access: Access, title: string, why: string, enter: (key: string) => void): HTMLElement {
  const input = h("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-describedby": "key-note",
  });
  const submit = (event: Event) => {
    event.preventDefault();
    if (input.value.trim() !== "") enter(input.value.trim());
  };
  const note = "It stays in the memory of this page, and is gone when you close or reload it.";
  const form = h(
    "form.box",
    { submit },
    h("label", { for: "key" }, "Key or token"),
    h("p.acts", input, h("button.main", { type: "submit" }, "Use it")),
    h("p.quiet-text", { id: "key-note" }, note),
  );
  return view(title, h("p", { role: "status" }, why), form, signInOffer(access, []));
}
