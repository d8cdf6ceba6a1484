/** One prompt: its arguments, and the messages that it makes of them. */

import { Mcp } from "../api/mcp.ts";
import { h } from "../lib/dom.ts";
import type { Prompt } from "../lib/model.ts";
import { blockView } from "../parts/blocks.ts";
import { inputs } from "../parts/inputs.ts";
import { type Page, view } from "../parts/view.ts";

export function promptView({ access }: Page, { name, title, description, arguments: all }: Prompt): HTMLElement {
  const properties = all.map(
    ({ name, description, required }) => [name, { type: "string", description }, required] as const,
  );
  const mcp = new Mcp(access);
  return view(
    title ?? name,
    h("p.crumb", "Prompt ", h("code", name)),
    description && h("p.prose", description),
    inputs(mcp, { prompt: name }, properties, "Show messages", async (values) => {
      const messages = await mcp.getPrompt(name, values as Record<string, string>);
      const shown = messages.map(({ role, content }) => h("section.box", h("h4", role), content.map(blockView)));
      return [h("h3", "Messages"), shown];
    }),
  );
}
