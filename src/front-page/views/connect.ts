/** How clients connect: a link for hosts that have one, and the steps for all. */
import { type Connection, type ConnectionTarget, connections } from "../code/connections.ts";
import { codeBlock } from "../lib/code.ts";
import { h } from "../lib/dom.ts";
import { type Page, view } from "./view.ts";

export function connectView(page: Page): HTMLElement {
  return view(
    "Connect a client",
    h("p", {}, "These clients call the tools for you, or let your model do it. Each needs the address only once."),
    connections(connectionTo(page)).map(connectionView),
  );
}

/** What the steps are filled in with. */
export function connectionTo({ access, catalog: { server } }: Page): ConnectionTarget {
  return {
    name: server.name,
    base: location.origin,
    isOpen: access.state === "nobody",
    signIn: access.signInKind,
    isLocal: /^(localhost|127\.|\[::1\])/.test(location.hostname),
  };
}

function connectionView({ id, title, link, steps, note }: Connection): HTMLElement {
  return h(
    "section",
    { class: "box", id: `connect-${id}`, "aria-labelledby": `connect-${id}-title` },
    h("h3", { id: `connect-${id}-title` }, title),
    link && h("p", { class: "acts" }, h("a", { class: "button main", href: link.href, rel: "noopener" }, link.label)),
    steps.map((step) =>
      "code" in step ? codeBlock(`for ${title}`, step.code, step.language) : h("p", { class: "prose" }, step.text),
    ),
    note && h("p", { class: "quiet-text" }, note),
  );
}
