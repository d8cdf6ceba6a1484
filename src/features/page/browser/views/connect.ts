/** How clients connect: a link for hosts that have one, and the steps for all. */
import { type Connection, connections, type Site } from "../code/connections.ts";
import { codeBlock } from "../lib/code.ts";
import { h } from "../lib/dom.ts";
import { type Page, view } from "../parts/view.ts";

export function connectView(site: Site): HTMLElement {
  return view(
    "Connect a client",
    h("p", "These clients find the tools at one address, and let a model call them."),
    connections(site).map(connectionView),
  );
}

export function siteOf({ access, signIn, catalog: { server } }: Page): Site {
  const { name, title } = server;
  return { origin: access.origin, name, title, isOpen: access.state === "nobody", signIn };
}

function connectionView({ id, title, link, otherLinks = [], steps, note }: Connection): HTMLElement {
  const heading = h("h3", { id: `connect-${id}`, tabindex: "-1" }, title);
  const byHand = steps.map((step) =>
    "code" in step ? codeBlock(`the text for ${title}`, step.code, step.language) : h("p.prose", step.text),
  );
  return h(
    "section.box",
    { "aria-labelledby": heading.id },
    heading,
    link &&
      h(
        "p.acts",
        h("a.button.main", { href: link.href, rel: "noopener" }, link.label),
        otherLinks.map(({ label, href }) => h("a", { href, rel: "noopener" }, label)),
      ),
    // If a link does everything, the steps are folded: they are a second way.
    link && !link.isStart ? h("details.stack", h("summary", "By hand"), byHand) : byHand,
    note && h("p.quiet-text", note),
  );
}
