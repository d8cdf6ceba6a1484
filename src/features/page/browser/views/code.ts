/** The same call as code: with curl over each protocol, with the clients, and by models. */
import type { Sample } from "../code/sample.ts";
import { samples } from "../code/samples.ts";
import { exampleOf } from "../form/example.ts";
import { codeBlock } from "../lib/code.ts";
import { h } from "../lib/dom.ts";
import type { Tool, ToolVersion } from "../lib/model.ts";
import { type Tab, tabs } from "../lib/tabs.ts";
import type { Page } from "../parts/view.ts";

const GROUPS = [
  ["curl", "With curl"],
  ["clients", "From programs"],
  ["models", "By models, over MCP"],
] as const;

/** @param filledIn what is in the form; undefined if it is not right yet */
export function codeView(
  { access }: Page,
  tool: Tool,
  version: ToolVersion,
  filledIn: Readonly<Record<string, unknown>> | undefined,
): HTMLElement {
  const note = "The form is not filled in, so the values here are examples.";
  const all = samples({
    tool,
    version,
    isNewest: tool.versions[0] === version,
    input: filledIn ?? exampleOf(version.input),
    base: access.origin,
    hasKey: access.state !== "nobody",
    isOpen: access.state === "nobody",
    needs: version.requirements,
  });
  return h(
    "div.view",
    !filledIn && h("p.quiet-text", note),
    tool.takesFiles && h("p.quiet-text", "Files are uploaded first: a call has their ids."),
    tool.keepsSession && h("p.quiet-text", "Sessions are MCP's: over the others, each call is on its own."),
    GROUPS.map(([group, title]) => {
      const ofGroup = all.filter((sample) => sample.group === group);
      return ofGroup.length > 0 && [h("h3", title), tabs(title, tabsOf(ofGroup))];
    }),
  );
}

/** A tab for each title; `Gemini: first, once per terminal` and `Gemini: the call` share one. */
function tabsOf(group: readonly Sample[]): Tab[] {
  const labels = [...new Set(group.map(({ title }) => title.split(": ")[0] ?? title))];
  return labels.map((label) => ({
    label,
    content: () => h("div.stack", group.filter(({ title }) => title.split(": ")[0] === label).map(sampleView)),
  }));
}

function sampleView({ title, text, language, note }: Sample): HTMLElement {
  const [, part] = title.split(": ");
  return h(
    "div",
    part && h("h4", `${part[0]?.toUpperCase()}${part.slice(1)}`),
    codeBlock(title, text, language),
    note && h("p.quiet-text", note),
  );
}
