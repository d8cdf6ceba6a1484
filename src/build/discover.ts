/** Finds, loads and checks every tool under a folder. Returns all problems at once, in the files' order. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Described } from "../core/describe.ts";
import { bundleAll } from "./bundle.ts";
import { cannotLoad, evaluate, type Job } from "./evaluate.ts";
import type { Inspected } from "./inspect.ts";
import { findToolFiles, pascal, type ToolFile, type ToolkitFile } from "./paths.ts";
import type { Problem } from "./problem.ts";

export interface Discovered extends Described {
  readonly path: string;
}

interface Tool {
  readonly file: ToolFile;
  readonly inspected: Inspected;
  /** `Calculator.Add` */
  readonly id: string;
  /** `Calculator_Add` */
  readonly name: string;
}

/** OXP 1.0, ToolDefinition, and OpenTool 1.0, Function: both allow 64 characters. */
const MAX_NAME = 64;

/** @returns tools sorted by id, then by version; none when there is a problem */
export async function discover(root: string): Promise<{ tools: Discovered[] } | { problems: Problem[] }> {
  const found = findToolFiles(root);
  const sources = [...found.toolkits, ...found.tools];
  const inspections = await inspectAll(sources, dirname(root));
  const problems = [...found.problems];
  for (const source of sources) {
    for (const complaint of inspections.get(source)?.complaints ?? [])
      problems.push({ file: source.file, ...complaint });
  }

  const ownNames = new Map(found.toolkits.map((source) => [source.toolkit, inspections.get(source)?.toolkitName]));
  const tools = found.tools.map((file): Tool => {
    const toolkit = ownNames.get(file.toolkit) ?? pascal(file.toolkit);
    const tool = pascal(file.tool);
    const inspected = inspections.get(file) as Inspected;
    return { file, inspected, id: `${toolkit}.${tool}`, name: `${toolkit}_${tool}` };
  });
  problems.push(...tooLong(tools), ...twins(tools));
  if (problems.length > 0) return { problems: problems.sort((a, b) => compareText(a.file, b.file)) };

  const described = tools.map(({ file, inspected, id, name }) => {
    if (inspected.tool === undefined) throw new TypeError(`${file.file} is neither described nor complained of`);
    return { ...inspected.tool, id, name, toolkit: file.toolkit, path: file.path };
  });
  described.sort((a, b) => compareText(a.id, b.id) || compareVersions(a.version, b.version));
  return { tools: described };
}

async function inspectAll(
  sources: readonly (ToolFile | ToolkitFile)[],
  base: string,
): Promise<Map<ToolFile | ToolkitFile, Inspected>> {
  const inspections = new Map<ToolFile | ToolkitFile, Inspected>();
  if (sources.length === 0) return inspections;
  const out = mkdtempSync(join(tmpdir(), "trivet-"));
  try {
    const paths = sources.map(({ path }) => path);
    const bundles = await bundleAll(paths, out, base);
    const jobs: Job[] = [];
    for (const [index, source] of sources.entries()) {
      const bundled = bundles[index];
      if (bundled && "bundle" in bundled) jobs.push({ bundle: bundled.bundle, source });
      else inspections.set(source, cannotLoad(bundled?.error ?? "it was not bundled"));
    }
    const evaluated = await evaluate(jobs);
    for (const [index, { source }] of jobs.entries()) inspections.set(source, evaluated[index] as Inspected);
    return inspections;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function tooLong(tools: readonly Tool[]): Problem[] {
  return tools
    .filter(({ name }) => name.length > MAX_NAME)
    .map(({ file, name }) => ({
      file: file.file,
      problem: `its name ${name} is longer than ${MAX_NAME} characters`,
      fix: "shorten the file's or the folder's name",
    }));
}

/** Two folders with one toolkit name, two spellings of one tool, two files with one id: each said once. */
function twins(tools: readonly Tool[]): Problem[] {
  const problems: Problem[] = [];
  const folders = new Map<string, ToolFile>();
  const spellings = new Map<string, ToolFile>();
  const ids = new Map<string, ToolFile>();
  const first = (known: Map<string, ToolFile>, key: string, file: ToolFile): ToolFile => {
    const before = known.get(key);
    if (before === undefined) known.set(key, file);
    return before ?? file;
  };
  for (const { file, inspected, id } of tools) {
    const toolkitName = id.slice(0, id.indexOf("."));
    const folder = first(folders, toolkitName, file);
    if (folder.toolkit !== file.toolkit) {
      problems.push({
        file: file.file,
        problem: `its toolkit is called ${toolkitName}, and so is that of ${folder.file}`,
        fix: "rename one of the two folders",
      });
      continue;
    }
    const spelling = first(spellings, id, file);
    if (spelling.tool !== file.tool) {
      problems.push({
        file: file.file,
        problem: `it is called ${id}, and so is ${spelling.file}`,
        fix: "rename one of them; versions of one tool share the name before the @",
      });
      continue;
    }
    if (inspected.version === undefined) continue;
    const twin = first(ids, `${id}@${inspected.version}`, file);
    if (twin !== file) {
      problems.push({
        file: file.file,
        problem: `it is ${id}@${inspected.version}, and so is ${twin.file}`,
        fix: "give one of them another version",
      });
    }
  }
  return problems;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** As three integers: 10.0.0 comes after 2.0.0. */
function compareVersions(a: string, b: string): number {
  const right = b.split(".").map(BigInt);
  for (const [at, left] of a.split(".").map(BigInt).entries()) {
    const other = right[at] ?? 0n;
    if (left !== other) return left < other ? -1 : 1;
  }
  return 0;
}
