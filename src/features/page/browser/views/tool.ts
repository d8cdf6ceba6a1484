/** One tool: what it does, a form to try it, its code for programs, and its definition. */
import { codeBlock } from "../lib/code.ts";
import { fill, h, newId } from "../lib/dom.ts";
import type { Tool, ToolVersion } from "../lib/model.ts";
import { tabs } from "../lib/tabs.ts";
import { type Page, view } from "../parts/view.ts";
import { tryPanel } from "../try/panel.ts";
import { codeView } from "./code.ts";

export function toolView(page: Page, tool: Tool): HTMLElement {
  const body = h("div");
  const show = (version: ToolVersion) => fill(body, versionView(page, tool, version));
  const [newest] = tool.versions;
  if (newest) show(newest);
  return view(
    tool.title ?? h("code", tool.id),
    h(
      "p.crumb",
      tool.title !== undefined && [h("code", tool.id), ". "],
      tool.isForViews ? "Over MCP, in hosts that show views: " : "Over MCP and OpenTool: ",
      h("code", tool.name),
    ),
    badges(tool),
    tool.versions.length > 1 && versionChoice(tool, show),
    body,
  );
}

function versionChoice({ versions }: Tool, show: (version: ToolVersion) => void): HTMLElement {
  const id = newId("version");
  const options = versions.map(({ version }, at) => h("option", at === 0 ? `${version} (latest)` : version));
  const change = () => {
    const version = versions[select.selectedIndex];
    if (version) show(version);
  };
  const select = h("select", { id, change }, options);
  return h("p.acts", h("label", { for: id }, "Version"), select);
}

function versionView(page: Page, tool: Tool, version: ToolVersion): HTMLElement {
  const attempt = tryPanel(page, tool, version);
  return h(
    "div.view",
    h("p.prose", version.description),
    tabs(`What to do with ${tool.id}`, [
      { label: "Try it", content: () => attempt.element },
      // The code has the input that is in the form.
      ...(tool.isForViews
        ? []
        : [{ label: "Call it from code", content: () => codeView(page, tool, version, attempt.input()) }]),
      { label: "Definition", content: () => definition(tool, version) },
    ]),
  );
}

function badges({ annotations, scopes, tokens, versions, ...tool }: Tool): HTMLElement {
  const { isLong, takesFiles, keepsSession, isForViews } = tool;
  const { readOnly, destructive, idempotent, openWorld } = annotations;
  const all = [
    versions.length === 1 && versions[0]?.version && `version ${versions[0].version}`,
    isForViews && "only for views",
    readOnly && "only reads",
    openWorld && "reaches the internet",
    idempotent && !readOnly && "safe to repeat",
    isLong && "may take long",
    takesFiles && "takes files",
    keepsSession && "keeps a session",
    ...scopes.map((scope) => `needs the scope ${scope}`),
    !isForViews && `about ${tokens.toLocaleString("en")} tokens`,
  ];
  return h(
    "ul.badges",
    { "aria-label": "Properties" },
    destructive && !readOnly && h("li.badge.warn", "may delete or overwrite"),
    all.map((text) => text && h("li.badge", text)),
  );
}

function definition({ id }: Tool, { version, input, output, requirements }: ToolVersion): HTMLElement {
  const json = (value: unknown) => JSON.stringify(value, undefined, 2);
  return h(
    "div.view",
    h("p.crumb", h("code", version === "" ? id : `${id}@${version}`)),
    h("h3", "Input"),
    codeBlock("the schema of the input", json(input), "json"),
    h("h3", "Output"),
    output
      ? codeBlock("the schema of the output", json(output), "json")
      : h("p.quiet-text", "The tool returns nothing, or files and pictures only."),
    Object.keys(requirements).length > 0 && [
      h("h3", "Requirements"),
      codeBlock("the requirements", json(requirements), "json"),
    ],
  );
}
