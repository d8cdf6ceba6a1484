/** One resource, or a template of addresses: its content. */

import { Mcp } from "../api/mcp.ts";
import { type Child, h } from "../lib/dom.ts";
import type { Resource, ResourceTemplate } from "../lib/model.ts";
import { expand, variablesIn } from "../lib/uri-template.ts";
import { blockView } from "../parts/blocks.ts";
import { inputs } from "../parts/inputs.ts";
import { loadInto, type Page, view } from "../parts/view.ts";

export function resourceView({ access }: Page, resource: Resource): HTMLElement {
  const content = h("div", { "aria-live": "polite" });
  const load = () => loadInto(content, () => contentOf(new Mcp(access), resource.uri));
  load();
  return described(resource.uri, resource, h("p.acts", h("button", { click: load }, "Read again")), content);
}

export function templateView({ access }: Page, template: ResourceTemplate): HTMLElement {
  const { uriTemplate } = template;
  const mcp = new Mcp(access);
  const properties = variablesIn(uriTemplate).map(({ name, isList, required }) => {
    const text = { type: "string", ...(required && { minLength: 1 }) };
    return [name, isList ? { type: "array", items: { type: "string" } } : text, required] as const;
  });
  const load = (values: Readonly<Record<string, unknown>>) => contentOf(mcp, expand(uriTemplate, values));
  return described(uriTemplate, template, inputs(mcp, { template: uriTemplate }, properties, "Read", load));
}

function described(uri: string, one: Omit<Resource, "uri">, ...children: readonly Child[]): HTMLElement {
  const { title, name, description, mimeType } = one;
  return view(
    title ?? name,
    h("p.crumb", "Resource ", h("code", uri), mimeType && `, ${mimeType}`),
    description && h("p.prose", description),
    children,
  );
}

async function contentOf(mcp: Mcp, uri: string): Promise<Child> {
  const blocks = (await mcp.readResource(uri)).map(blockView);
  return [h("h3", "Content"), h("div.stack", blocks.length > 0 ? blocks : "Empty.")];
}
