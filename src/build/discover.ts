/** Finds, loads and checks every tool under a folder. Returns all problems at once, in the files' order. */
import { join } from "node:path";
import type { Described } from "../core/describe.ts";
import { inspect } from "./inspect.ts";
import { type Loaded, loadAll } from "./load.ts";
import { type Found, findToolFiles, pascal, type ToolFile } from "./paths.ts";
import type { Problem } from "./problem.ts";

export interface Discovered extends Described {
  readonly path: string;
}

const TOOL_MODULE = join(import.meta.dirname, "../tool.ts");

/** @returns tools sorted by id, then by version; none when there is a problem */
export async function discover(root: string): Promise<{ tools: Discovered[] } | { problems: Problem[] }> {
  const found = findToolFiles(root);
  const problems = [...found.problems];
  const paths = [...found.tools.map(({ path }) => path), ...[...found.toolkits.values()].map(({ path }) => path)];
  const loaded = await loadAll(paths, TOOL_MODULE);
  const names = toolkitNames(found, loaded, problems);

  const described: { tool: Omit<Described, "latest">; file: ToolFile }[] = [];
  for (const file of found.tools) {
    const module = loaded.get(file.path) as Loaded;
    if ("error" in module) {
      problems.push({
        file: file.file,
        problem: `it cannot be loaded: ${module.error}`,
        fix: "correct what the message names; a tool must load without its Worker",
      });
      continue;
    }
    const inspected = inspect(file, module.exports, names.get(file.toolkit) ?? pascal(file.toolkit));
    if ("problems" in inspected) problems.push(...inspected.problems);
    else described.push({ tool: inspected.described, file });
  }
  problems.push(...twins(described));
  if (problems.length > 0) return { problems };

  described.sort((a, b) => compare(a.tool, b.tool));
  const tools = described.map(({ tool, file }, index) => ({
    ...tool,
    latest: described[index + 1]?.tool.id !== tool.id,
    path: file.path,
  }));
  return { tools };
}

/** The toolkits that name themselves: another casing of the folder's name, so that paths and ids stay one. */
function toolkitNames(found: Found, loaded: Map<string, Loaded>, problems: Problem[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const [toolkit, { file, path }] of found.toolkits) {
    const module = loaded.get(path) as Loaded;
    if ("error" in module) {
      problems.push({ file, problem: `it cannot be loaded: ${module.error}`, fix: "correct what the message names" });
      continue;
    }
    const name = (module.exports.default as { name?: unknown } | undefined)?.name;
    const letters = toolkit.replaceAll("-", "");
    if (typeof name === "string" && /^[A-Za-z0-9]+$/.test(name) && name.toLowerCase() === letters)
      names.set(toolkit, name);
    else {
      problems.push({
        file,
        problem: `its default export does not spell "${toolkit}" in another casing`,
        fix: `export default defineToolkit({ name: "${letters.toUpperCase()}" })`,
      });
    }
  }
  return names;
}

/** Two files with one id, or two folders with one toolkit name. */
function twins(described: readonly { tool: Omit<Described, "latest">; file: ToolFile }[]): Problem[] {
  const problems: Problem[] = [];
  const ids = new Map<string, ToolFile>();
  const folders = new Map<string, ToolFile>();
  for (const { tool, file } of described) {
    const id = `${tool.id}@${tool.version}`;
    const toolkitName = tool.id.slice(0, tool.id.indexOf("."));
    const twin = ids.get(id);
    const folder = folders.get(toolkitName);
    if (twin)
      problems.push({
        file: file.file,
        problem: `it is ${id}, and so is ${twin.file}`,
        fix: "give one of them another version or name",
      });
    else if (folder && folder.toolkit !== file.toolkit) {
      problems.push({
        file: file.file,
        problem: `its toolkit is called ${toolkitName}, and so is that of ${folder.file}`,
        fix: "rename one of the folders",
      });
    }
    ids.set(id, file);
    folders.set(toolkitName, file);
  }
  return problems;
}

/** By id, then by version as three integers. */
function compare(a: Omit<Described, "latest">, b: Omit<Described, "latest">): number {
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  const [left, right] = [a, b].map(({ version }) => version.split(".").map(BigInt));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  if (at < 0) return 0;
  return (left?.[at] ?? 0n) < (right?.[at] ?? 0n) ? -1 : 1;
}
