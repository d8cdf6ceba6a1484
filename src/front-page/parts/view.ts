/** What each view of the page is made of. */

import type { Access } from "../api/access.ts";
import type { Child } from "../lib/dom.ts";
import { h } from "../lib/dom.ts";
import type { Catalog } from "../lib/model.ts";

/** What views know of the page. */
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

/** What went wrong, in a box. */
export function failed(error: unknown): HTMLElement {
  return h("p.box.bad", { role: "alert" }, error instanceof Error ? error.message : String(error));
}
