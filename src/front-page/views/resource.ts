/** One resource, or a template of addresses: its content. */

import { Mcp } from "../api/mcp.ts";
import { type InputForm, inputForm } from "../form/form.ts";
import { fill, h } from "../lib/dom.ts";
import type { Resource, ResourceTemplate } from "../lib/model.ts";
import { expand, type Variable, variablesIn } from "../lib/uri-template.ts";
import { blockView } from "../parts/blocks.ts";
import { valuesIn } from "../parts/values.ts";
import { failed, type Page, view } from "../parts/view.ts";

export function resourceView(page: Page, resource: Resource): HTMLElement {
  const content = h("div", { "aria-live": "polite" });
  const load = () => show(page, resource.uri, content);
  load();
  return view(
    resource.title ?? resource.name,
    facts(resource.uri, resource),
    h("p.acts", h("button", { click: load }, "Read again")),
    content,
  );
}

export function templateView(page: Page, template: ResourceTemplate): HTMLElement {
  const { uriTemplate } = template;
  const variables = variablesIn(uriTemplate);
  const schemaOf = ({ isList, required }: Variable) =>
    isList ? { type: "array", items: { type: "string" } } : { type: "string", ...(required && { minLength: 1 }) };
  const mcp = new Mcp(page.access);
  const form: InputForm = inputForm(
    {
      type: "object",
      properties: Object.fromEntries(variables.map((variable) => [variable.name, schemaOf(variable)])),
      required: variables.flatMap(({ name, required }) => (required ? [name] : [])),
    },
    {
      idPrefix: "template",
      complete(path, value) {
        const filled = Object.entries(valuesIn(form) ?? {}).map(([name, it]) => [name, String(it)]);
        // Of a list, the entry that is typed: `tag[1]`.
        const name = path.replace(/\[\d+\]$/, "");
        return mcp.complete({ template: uriTemplate }, { name, value }, Object.fromEntries(filled));
      },
    },
  );
  const content = h("div", { "aria-live": "polite" });
  const submit = (event: Event) => {
    event.preventDefault();
    const read = form.read();
    if ("problems" in read) return form.showProblems(read.problems);
    show(page, expand(uriTemplate, read.value), content);
  };
  return view(
    template.title ?? template.name,
    facts(uriTemplate, template),
    h("form", { novalidate: true, submit }, form.element, h("p.acts", h("button.main", { type: "submit" }, "Read"))),
    content,
  );
}

function facts(uri: string, { description, mimeType }: Pick<Resource, "description" | "mimeType">): HTMLElement[] {
  return [
    h("p.crumb", "Resource ", h("code", uri), mimeType && `, ${mimeType}`),
    ...(description ? [h("p.prose", description)] : []),
  ];
}

async function show({ access }: Page, uri: string, place: HTMLElement): Promise<void> {
  fill(place, h("p.status", "Loading…"));
  try {
    const blocks = (await new Mcp(access).readResource(uri)).map(blockView);
    fill(place, h("h3", "Content"), h("div.stack", blocks.length > 0 ? blocks : "Empty."));
  } catch (error) {
    fill(place, failed(error));
  }
}
