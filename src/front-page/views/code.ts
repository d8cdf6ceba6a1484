/** The same call as code: with curl over each protocol, with the clients, and as definitions for models. */
import { type Sample, samples } from "../code/samples.ts";
import { codeBlock } from "../lib/code.ts";
import { h } from "../lib/dom.ts";
import type { Tool, ToolVersion } from "../lib/model.ts";
import { tabs } from "../lib/tabs.ts";
import type { Page } from "./view.ts";

const GROUPS = [
  ["curl", "With curl"],
  ["clients", "From programs"],
  ["definitions", "For models, without a protocol"],
] as const;

export function codeView(
  { access }: Page,
  tool: Tool,
  version: ToolVersion,
  isNewest: boolean,
  input: Record<string, unknown>,
): HTMLElement {
  const all = samples({
    tool,
    version,
    isNewest,
    input,
    base: access.origin,
    hasKey: access.state !== "nobody",
    isOpen: access.state === "nobody",
    needs: version.requirements,
  });
  return h(
    "div",
    { class: "view" },
    GROUPS.map(([group, title]) => {
      const ofGroup = all.filter((sample) => sample.group === group);
      return ofGroup.length > 0 && [h("h3", {}, title), tabs(title, ofGroup.map(asTab))];
    }),
  );
}

function asTab({ title, text, language }: Sample) {
  return { label: title, content: () => codeBlock(title, text, language) };
}
