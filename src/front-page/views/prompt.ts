/** One prompt: its arguments, and the messages that it makes of them. */

import { Mcp } from "../api/mcp.ts";
import { type InputForm, inputForm } from "../form/form.ts";
import { fill, h } from "../lib/dom.ts";
import type { Prompt } from "../lib/model.ts";
import { blockView } from "../parts/blocks.ts";
import { valuesIn } from "../parts/values.ts";
import { failed, type Page, view } from "../parts/view.ts";

export function promptView({ access }: Page, prompt: Prompt): HTMLElement {
  const properties = Object.fromEntries(
    prompt.arguments.map(({ name, description }) => [name, { type: "string", ...(description && { description }) }]),
  );
  const required = prompt.arguments.flatMap(({ name, required }) => (required ? [name] : []));
  const mcp = new Mcp(access);
  const form: InputForm = inputForm(
    { type: "object", properties, required },
    {
      idPrefix: "prompt",
      complete: (name, value) => mcp.complete({ prompt: prompt.name }, { name, value }, valuesIn(form)),
    },
  );
  const result = h("div", { "aria-live": "polite" });
  const submit = async (event: Event) => {
    event.preventDefault();
    const read = form.read();
    if ("problems" in read) return form.showProblems(read.problems);
    fill(result, h("p.status", "Loading…"));
    try {
      const messages = await mcp.getPrompt(prompt.name, read.value as Record<string, string>);
      fill(
        result,
        h("h3", "Messages"),
        messages.map(({ role, content }) => h("section.box", h("h4", role), content.map(blockView))),
      );
    } catch (error) {
      fill(result, failed(error));
    }
  };
  return view(
    prompt.title ?? prompt.name,
    h("p.crumb", "Prompt ", h("code", prompt.name)),
    prompt.description && h("p.prose", prompt.description),
    h(
      "form",
      { novalidate: true, submit },
      form.element,
      h("p.acts", h("button.main", { type: "submit" }, "Show messages")),
    ),
    result,
  );
}
