/**
 * Renders and writes the generated modules. The catalogue contains the descriptions of all tools as one string. If there
 * are many tools, further modules each bundle some tools of one toolkit: bundlers turn every lazily imported module into
 * an object with accessors that is created at every start, whether it is used or not.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Row } from "../../core/catalog/generated-catalog.ts";
import type { Described } from "../../core/model/tool-description.ts";
import { describeMeta, describe as mcp, describeModern as modern } from "../../protocols/mcp/describe.ts";
import { describe as opentool } from "../../protocols/opentool/describe.ts";
import type { Discovery } from "../read/discovery.ts";
import { bundleToolkit, importedAmong, specifierOf } from "./bundle-toolkit.ts";
import { featuresOf } from "./features.ts";
import { HEAD } from "./head.ts";
import { outputKind } from "./output-kind.ts";
import { renderSkills } from "./skills.ts";
import { ALONE, isFromToolkit, splitByToolkit, type ToolGroup } from "./tool-groups.ts";

/** What the listings show of a tool, besides its row; the keys are those of {@link CatalogEntry.json}. */
const TEXTS: Readonly<Record<string, (tool: Described) => unknown>> = {
  description: (tool) => tool.description,
  input: (tool) => tool.input,
  output: (tool) => tool.output,
  mcp,
  modern,
};

const SRC = join(import.meta.dirname, "../..");
const CORE = join(SRC, "core");

/**
 * @param out path of the catalogue
 * @returns the text of each module by path: the catalogue comes last, after the modules that it imports
 */
export async function render(discovery: Discovery, out: string): Promise<ReadonlyMap<string, string>> {
  const { tools, prompts, resources, events, views, skills, instructions } = discovery;
  const files = new Map<string, string>();
  const groups = splitByToolkit(tools);
  const modules =
    tools.length <= ALONE ? tools.map(({ path }) => path) : await renderGroups(groups, discovery, out, files);

  const checks = renderChecks(groups, out, files);
  const imported = modules.map((path, at) => {
    const file = checks[at];
    const names = groups[at]?.flatMap(({ nameInToolkit }) => nameInToolkit ?? []) ?? [];
    const module = `import(${quoted(out, path)})`;
    const load = names.length === 0 ? module : `toolkitTools(${module}, ${JSON.stringify(names)})`;
    return file === undefined ? load : `checked(${load}, import(${quoted(out, file)}))`;
  });
  const importing = (name: string, file: string) => `import { ${name} } from ${quoted(out, join(CORE, file))};\n`;
  const table = tableOf(groups);
  const others = [prompts, resources, events].map((primitives: readonly Primitive[]) =>
    primitives.map(({ path, outputCheck, ...primitive }, at) => {
      const members = Object.entries(primitive).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      members.push(`load: () => import(${quoted(out, path)})`);
      if (outputCheck !== undefined) {
        const file = join(folderOf(out, "checks"), `event.${at}.ts`);
        files.set(file, renderCheck(file, "Check", outputCheck));
        members.push(`hold: async (data) => heldTo((await import(${quoted(out, file)})).default, data)`);
      }
      return `    { ${members.join(", ")} },`;
    }),
  );
  others[1]?.push(...renderSkills(skills, folderOf(out, "skills"), out, files));
  const [promptBody, resourceBody, eventBody] = others.map((lines) => lines.join("\n"));
  const toolkits = JSON.stringify([...new Set(tools.map(({ toolkit }) => toolkit))]);
  const demanded = [...tools, ...prompts, ...resources, ...events].flatMap(({ options }) => options.scopes ?? []);
  const scopes = JSON.stringify([...new Set(demanded)].sort());
  const names = tools.filter(hasOwnName).map(({ name, id }) => [name, id]);
  // OpenTool's listing is rendered at run time, but a change in it is a new revision as well.
  const listed = [
    table,
    JSON.stringify(tools.map(opentool)),
    promptBody,
    resourceBody,
    ...(eventBody ? [eventBody] : []),
    ...(views.length > 0 ? [JSON.stringify(views.map(({ uri }) => uri))] : []),
  ];
  const revision = createHash("sha256").update(listed.join("\n")).digest("hex").slice(0, 16);
  const ofFeatures = featuresOf(discovery).flatMap(({ name, event }) =>
    event?.usedBy(discovery) ? { name: event.name, file: `../features/${name}/${event.file}` } : [],
  );
  const imports = [
    ...(tools.some(isFromToolkit) ? [importing("toolkitTools", "catalog/toolkit-tools.ts")] : []),
    ...(checks.length > 0 ? [importing("checked", "catalog/compiled-check.ts")] : []),
    ...(events.some(({ outputCheck }) => outputCheck) ? [importing("heldTo", "catalog/compiled-check.ts")] : []),
    importing("readGeneratedCatalog", "catalog/generated-catalog.ts"),
    ...(skills.length > 0 ? [importing("skillFile", "catalog/skill-file.ts")] : []),
    ...ofFeatures.map(({ name, file }) => importing(name, file)),
    ...(instructions ? [importing("instructionsFor", "catalog/instructions.ts")] : []),
  ];
  const eventLines = [...(eventBody ? [eventBody] : []), ...ofFeatures.map(({ name }) => `    ${name},`)];
  const eventList = eventLines.length > 0 ? `\n  events: [\n${eventLines.join("\n")}\n  ],` : "";
  const texts = instructions ? `\n  instructions: instructionsFor(${JSON.stringify(instructions)}),` : "";
  files.set(
    out,
    `${HEAD}${imports.join("")}
export default readGeneratedCatalog({
  revision: ${JSON.stringify(revision)},
  toolkits: ${toolkits},
  scopes: ${scopes},
  names: ${JSON.stringify(names)},${texts}
  modules: [
${imported.map((load) => `    () => ${load},`).join("\n")}
  ],
  texts: ${JSON.stringify(Object.keys(TEXTS))},
  table: ${JSON.stringify(table)},
  prompts: [
${promptBody}
  ],
  resources: [
${resourceBody}
  ],${eventList}
});
`,
  );
  return files;
}

/** @returns the paths of the modules, in the order of the groups */
async function renderGroups(
  groups: readonly ToolGroup[],
  { tools, prompts, resources, events, worker }: Discovery,
  out: string,
  files: Map<string, string>,
): Promise<string[]> {
  const primitives = [...tools, ...prompts, ...resources, ...events].map(({ path }) => path);
  const apart = await importedAmong(worker === undefined ? primitives : [...primitives, worker]);
  const modules: string[] = [];
  for (const group of groups) {
    if (isFromToolkit(group[0])) {
      modules.push(group[0].path);
      continue;
    }
    const paths = group.map(({ path }) => path);
    const file = moduleFile(out, group[0].toolkit, files);
    const types = paths.map((path) => `typeof import(${quoted(file, path)}).default`);
    files.set(file, await bundleToolkit(paths, apart, file, HEAD));
    files.set(
      file.replace(/js$/, "d.ts"),
      `${HEAD}declare const tools: [\n${types.map((type) => `  ${type},\n`).join("")}];\nexport default tools;\n`,
    );
    modules.push(file);
  }
  return modules;
}

/**
 * Renders a module with the compiled checks of a group's tools, for each group that has any.
 *
 * @returns the paths of these modules, by the index of the group; empty if no tool needs a check
 */
function renderChecks(groups: readonly ToolGroup[], out: string, files: Map<string, string>): string[] {
  const paths: string[] = [];
  for (const [at, group] of groups.entries()) {
    if (!group.some(({ check, outputCheck }) => check ?? outputCheck)) continue;
    const path = join(folderOf(out, "checks"), `${at}.ts`);
    const ofTools = group.map(({ check, outputCheck }) => {
      const members = [...(check ? [`input: ${check}`] : []), ...(outputCheck ? [`output: ${outputCheck}`] : [])];
      return `  {${members.join(", ")}},\n`;
    });
    files.set(path, renderCheck(path, "readonly Checks[]", `[\n${ofTools.join("")}]`));
    paths[at] = path;
  }
  return paths;
}

function renderCheck(path: string, type: string, code: string): string {
  const helpers = quoted(path, join(CORE, "catalog/compiled-check.ts"));
  return `${HEAD}// @ts-nocheck
import { areEqual, areUnique, type Check, type Checks, choicesOf, lengthOf } from ${helpers};

const checks: ${type} = ${code};
export default checks;
`;
}

/** A prompt, a resource or an event. */
interface Primitive {
  readonly path: string;
  readonly outputCheck?: string;
}

function quoted(module: string, path: string): string {
  return JSON.stringify(specifierOf(module, path));
}

/** Renders `table` of the GeneratedCatalog (core/catalog/generated-catalog.ts): one line for each tool. */
function tableOf(groups: readonly ToolGroup[]): string {
  const lines = groups.flatMap((group, module) =>
    group.map((tool, place) => {
      const { id, name, version, toolkit } = tool;
      const options = { ...tool.options, meta: describeMeta(tool.options) };
      const row: Row = [version, toolkit, outputKind(tool), options, module, place];
      const texts = Object.values(TEXTS).map((text) => text(tool));
      return [id, ...[hasOwnName(tool) ? [...row, name] : row, ...texts].map((cell) => JSON.stringify(cell) ?? "")];
    }),
  );
  return lines.map((cells) => `\v${cells.join("\t")}`).join("");
}

function hasOwnName({ id, name }: Described): boolean {
  return name !== id.replace(".", "_");
}

/** A free path: `toolkits/calculator.js` next to the catalogue, then `toolkits/calculator.2.js`. */
function moduleFile(out: string, toolkit: string, taken: ReadonlyMap<string, string>): string {
  for (let count = 1; ; count++) {
    const file = join(folderOf(out, "toolkits"), count === 1 ? `${toolkit}.js` : `${toolkit}.${count}.js`);
    if (!taken.has(file)) return file;
  }
}

function folderOf(out: string, name: "toolkits" | "checks" | "skills"): string {
  return join(dirname(out), name);
}

/**
 * Writes files that changed, and only those, because a file watcher would otherwise trigger itself for ever. Deletes
 * modules that earlier runs generated and that are no longer needed.
 *
 * @param files as {@link render} returns them
 * @returns whether anything changed
 */
export function writeAll(files: ReadonlyMap<string, string>, out: string): boolean {
  const written = [...files].filter(([path, text]) => writeIfChanged(path, text));
  const stale = (["toolkits", "checks", "skills"] as const)
    .flatMap((name) => generatedIn(folderOf(out, name)))
    .filter((path) => !files.has(path));
  // Modules of earlier versions import what is gone, so a type checker would report them.
  const retired = generatedIn(dirname(out)).filter((path) => /^(parts|credentials)\.ts$/.test(basename(path)));
  for (const path of [...stale, ...retired]) rmSync(path);
  return written.length + stale.length > 0;
}

/** The generated modules in a folder, which may be missing. Ignores other files. */
function generatedIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths.filter((path) => /\.[jt]s$/.test(path) && readFileSync(path, "utf8").startsWith(HEAD));
}

/**
 * Writes a file in one step: the type checker or the server may be reading it.
 *
 * @param unfinished where it is written first, without the ending that is added; by default beside it
 * @returns whether the file was written
 */
export function writeIfChanged(path: string, text: string | Uint8Array, unfinished = path): boolean {
  try {
    if (readFileSync(path).equals(Buffer.from(text))) return false;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  // The name has the id of this process, because another discovery may be writing the same file.
  const complete = `${unfinished}.${process.pid}.new`;
  writeFileSync(complete, text);
  renameSync(complete, path);
  return true;
}
