/** Binds views to the tools beside them, and bundles them. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { lineOfMember } from "../lib/member-line.ts";
import { closest } from "../lib/spelling.ts";
import type { Discovered, DiscoveredView } from "../read/discovery.ts";
import type { Candidate } from "../read/inspected.ts";
import { pascalCase, type ViewFile } from "../read/paths.ts";
import { type Problem, problemIn } from "../read/problem.ts";
import { outputKind } from "../write/output-kind.ts";
import { bundleView } from "./bundle-view.ts";

/**
 * @param tools      sorted by id, then by version
 * @param candidates the same tools, with their files
 * @param options    `base`: folder that file names in messages are relative to. `isDev`: see {@link bundleView}
 * @returns the views, sorted by the id of their tools, and what is wrong
 */
export async function readViews(
  files: readonly ViewFile[],
  tools: readonly Discovered[],
  candidates: readonly Candidate[],
  { base, isDev }: { readonly base: string; readonly isDev: boolean },
): Promise<{ views: DiscoveredView[]; problems: Problem[] }> {
  const views: DiscoveredView[] = [];
  const problems: Problem[] = [];
  const bound = new Map<string, ViewFile>();
  for (const file of files) {
    const id = tools.find((tool) => isOf(file, tool))?.id;
    const before = id === undefined ? undefined : bound.get(id);
    if (id === undefined) problems.push(withoutTool(file, tools));
    else if (before === undefined) bound.set(id, file);
    else {
      const fix = `keep one of them; what ${before.name}.view.html imports is a helper, such as _${before.name}.ts`;
      problems.push({ file: file.file, problem: `it is the view of ${id}, and so is ${before.file}`, fix });
    }
  }
  problems.push(...withoutView(candidates, bound));
  const wrapped = tools.filter((tool) => outputKind(tool) === "value").map(({ name }) => name);
  const made = Array.from(bound, async ([id, file]) => {
    const tool = tools.findLast((one) => one.id === id) as Discovered;
    const title = tool.options.title ?? tool.name;
    const resourceDomains = tool.view?.csp?.resourceDomains ?? [];
    const result = await bundleView(file, { base, isDev, wrapped, title, tool: tool.name, resourceDomains });
    if ("problems" in result) return void problems.push(...result.problems);
    const { html } = result;
    const hash = createHash("sha256")
      .update(html)
      .update(JSON.stringify(tool.view ?? {}))
      .digest("hex")
      .slice(0, 8);
    const name = `${file.toolkit}/${file.name}`;
    views.push({ tool: id, uri: `ui://${name}-${hash}.html`, name, toolkit: file.toolkit, html });
  });
  await Promise.all(made);
  views.sort((a, b) => (a.tool < b.tool ? -1 : 1));
  return { views, problems };
}

function isOf({ toolkit, name }: ViewFile, tool: Discovered): boolean {
  return tool.toolkit === toolkit && tool.id.endsWith(`.${pascalCase(name)}`);
}

function withoutTool({ file, toolkit, name }: ViewFile, tools: readonly Discovered[]): Problem {
  const names = tools.filter((tool) => tool.toolkit === toolkit).map(({ id }) => id.slice(id.indexOf(".") + 1));
  const meant = closest(pascalCase(name), names);
  const own = `write the tool: ${file.replace(/\.view\.\w+$/, ".ts")}`;
  const fix = meant === undefined ? own : `name it after ${meant}, or ${own}`;
  return { file, problem: `it is the view of no tool: ${toolkit} has no tool called ${pascalCase(name)}`, fix };
}

/** Finds tools that say what their view may do, but have no view. */
function withoutView(candidates: readonly Candidate[], bound: ReadonlyMap<string, unknown>): Problem[] {
  const without = candidates.filter(({ id, inspected }) => inspected.tool?.view && !bound.has(id));
  return without.map(({ file: { file, path, name } }) => {
    const problem = `its "view" is for a view, and there is no ${name}.view.html or ${name}.view.ts beside it`;
    const fix = "write that file (docs/views.md), or remove the option";
    return problemIn(file, { problem, fix, line: lineOfMember(readFileSync(path, "utf8"), "view") });
  });
}
