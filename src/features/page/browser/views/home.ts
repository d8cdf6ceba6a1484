/** The first view: what the server is, where it answers, and how to go on. */

import { connections } from "../code/connections.ts";
import { codeBlock } from "../lib/code.ts";
import { type Child, h } from "../lib/dom.ts";
import { linkTo } from "../lib/route.ts";
import { count } from "../lib/words.ts";
import type { Page } from "../parts/view.ts";
import { siteOf } from "./connect.ts";
import { docsLinks } from "./docs.ts";

const ENDPOINTS = [
  ["MCP", "/mcp"],
  ["OXP", "/tools"],
  ["OpenTool", "/opentool/load"],
] as const;

/** The width at which main.css changes to the layout of phones: 52rem, in pixels. */
const PHONE_WIDTH = 832;
const COMMON_HOSTS = ["claude-desktop", "claude-code", "chatgpt", "cursor", "vscode", "inspector"];

export function homeView(page: Page): HTMLElement {
  const { server, tools, prompts, resources, templates, problems } = page.catalog;
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0).toLocaleString("en");
  const what = [
    count(tools.length, "tool"),
    prompts.length > 0 && count(prompts.length, "prompt"),
    resources.length + templates.length > 0 && count(resources.length + templates.length, "resource"),
  ].filter(Boolean);
  return h(
    "div.view",
    h("h2", { tabindex: "-1" }, server.description ?? `Tools for agents`),
    h("p.quiet-text", `${what.join(", ")}. Their definitions cost a model about ${tokens} tokens.`),
    problems.map((problem) => h("p.box.bad", problem)),
    tools.length === 0 ? empty(page) : h("p", "Choose one from the list to try it here, or connect a client."),
    server.website && h("p", h("a", { href: server.website, rel: "noopener" }, server.website)),
    server.instructions && instructions(server.instructions),
    h("h3", "Connect"),
    hostLinks(page),
    addresses(page),
    docsLinks(),
  );
}

/** Folded on phones, where the list of tools is below. */
function addresses({ access }: Page): HTMLElement {
  const items = ENDPOINTS.map(([protocol, path]) => {
    const name = h("b", h("span", { class: `dot ${protocol}` }), protocol);
    return h("li", name, codeBlock(`the address for ${protocol}`, `${access.origin}${path}`));
  });
  return h("details", { open: innerWidth > PHONE_WIDTH }, h("summary", "Addresses"), h("ul.endpoints", items));
}

function empty({ access }: Page): HTMLElement {
  const why = access.state === "nobody" ? "No tool is public. Use a key to see more." : "This key may call no tool.";
  return h("p.box", why);
}

/** What models read when they connect. A long text is folded. */
function instructions(text: string): Child {
  const prose = h("p.prose", text);
  if (text.length <= 600) return h("div.box", h("h3", "What models are told"), prose);
  return h("details.box", h("summary", "What models are told"), prose);
}

function hostLinks(page: Page): HTMLElement {
  const all = connections(siteOf(page)).filter(({ id }) => COMMON_HOSTS.includes(id));
  return h(
    "p.acts",
    all.map(({ id, title }) => h("a.button", { href: linkTo({ kind: "connect", name: id }) }, title)),
    h("a", { href: linkTo({ kind: "connect", name: "" }) }, "All clients"),
  );
}
