/** The list at the side: tools by toolkit, prompts and resources, and the search over them. */
import { fill, h } from "../lib/dom.ts";
import type { Catalog, JsonSchema, Tool } from "../lib/model.ts";
import { linkTo, type Route } from "../lib/route.ts";

interface Entry {
  readonly route: Route;
  readonly title: string;
  readonly text: string | undefined;
  /** What the search looks at, in lower case. */
  readonly words: string;
}

interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** A longer list begins with its toolkits closed. */
const MOST_OPEN = 60;

export interface List {
  /** Shows what there is, or nothing while nobody may see it. */
  show(catalog: Catalog | undefined): void;
  mark(route: Route): void;
}

/** @param nav `#list` of index.html */
export function listIn(nav: HTMLElement): List {
  const search = nav.querySelector("input") as HTMLInputElement;
  const entries = nav.querySelector("#entries") as HTMLElement;
  const found = nav.querySelector("#found") as HTMLElement;
  let groups: readonly Group[] = [];
  let open: Route = { kind: "home" };

  function draw(): void {
    const wanted = search.value.trim().toLowerCase().split(/\s+/);
    const isMatch = ({ words }: Entry) => wanted.every((word) => words.includes(word));
    const matching = groups.map(({ title, entries }) => ({ title, entries: entries.filter(isMatch) }));
    const shown = matching.filter(({ entries }) => entries.length > 0);
    const count = shown.reduce((sum, { entries }) => sum + entries.length, 0);
    const isSearch = search.value.trim() !== "";
    const sections = shown.map((group) => section(group, isSearch || count <= MOST_OPEN));
    fill(entries, sections);
    found.textContent = !isSearch ? "" : count === 0 ? "No matches." : `${count} found`;
    mark(open);
  }
  function mark(route: Route): void {
    open = route;
    for (const link of entries.querySelectorAll("a")) {
      if (link.getAttribute("href") !== linkTo(route)) link.removeAttribute("aria-current");
      else {
        link.setAttribute("aria-current", "page");
        link.closest("details")?.setAttribute("open", "");
        link.scrollIntoView({ block: "nearest" });
      }
    }
  }
  search.addEventListener("input", draw);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") entries.querySelector("a")?.click();
    if (event.key === "Escape" && search.value !== "") {
      search.value = "";
      draw();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
  return {
    mark,
    show(catalog) {
      groups = catalog ? groupsOf(catalog) : [];
      nav.hidden = groups.length === 0;
      nav.removeAttribute("aria-busy");
      search.disabled = groups.length === 0;
      draw();
    },
  };
}

function section({ title, entries }: Group, isOpen: boolean): HTMLElement {
  const items = entries.map(({ route, title, text }) =>
    h("li", h("a.entry", { href: linkTo(route) }, h("b", title), text && h("span", text))),
  );
  const list = h("ul", items);
  if (isOpen) return h("div.group", h("h2", title), list);
  return h("div.group", h("details", h("summary", `${title} (${entries.length})`), list));
}

function groupsOf({ tools, prompts, resources, templates }: Catalog): Group[] {
  const toolkits = [...new Set(tools.map(({ toolkit }) => toolkit))];
  return [
    ...toolkits.map((title) => ({
      title,
      entries: tools.filter(({ toolkit }) => toolkit === title).map(toolEntry),
    })),
    {
      title: "Prompts",
      entries: prompts.map(({ name, title, description }) =>
        entry({ kind: "prompt", name }, title ?? name, description, [name]),
      ),
    },
    {
      title: "Resources",
      entries: [...resources, ...templates].map((one) => {
        const uri = "uri" in one ? one.uri : one.uriTemplate;
        const { name, title = name, description = uri } = one;
        return entry({ kind: "resource", name: uri }, title, description, [uri, name]);
      }),
    },
  ].filter(({ entries }) => entries.length > 0);
}

function toolEntry({ id, name, title, toolkit, versions: [newest] }: Tool): Entry {
  const short = id.slice(toolkit.length + 1) || id;
  const parameters = Object.keys((newest?.input.properties ?? {}) as Record<string, JsonSchema>);
  return entry({ kind: "tool", name: id }, title ?? short, newest?.description, [id, name, ...parameters]);
}

function entry(route: Route, title: string, text: string | undefined, also: readonly string[]): Entry {
  return { route, title, text, words: [title, text, ...also].join(" ").toLowerCase() };
}
