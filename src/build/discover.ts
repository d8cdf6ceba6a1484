/** Discovery: finds, loads and checks every tool in a folder. Reports all problems at once, sorted by file. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Described } from "../core/model/tool-description.ts";
import { describe as mcp } from "../protocols/mcp/describe.ts";
import { unknownNames } from "./bindings/bindings.ts";
import { type Available, missingTextRule, optionalParts } from "./check-settings.ts";
import { checkListing } from "./listing/check-listing.ts";
import { importCycles } from "./read/cycles.ts";
import type { Discovery } from "./read/discovery.ts";
import { cannotLoad, describeFailure, evaluate, type Job, type Source } from "./read/evaluate.ts";
import type { Inspected } from "./read/inspect-tool.ts";
import { readInstructions } from "./read/instructions.ts";
import { findToolFiles, pascalCase, type ToolFile } from "./read/paths.ts";
import { type Problem, problemIn } from "./read/problem.ts";
import { bundleAll, type Unbundled } from "./write/bundle.ts";

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

/**
 * @param root the folder of tools
 * @param available what wrangler.toml has; undefined without a wrangler.toml
 * @returns what was found, or the problems if there are any. Rejects only because of a bug of ours
 */
export async function discover(
  root: string,
  available: Available | undefined,
): Promise<Discovery | { problems: Problem[] }> {
  const found = findToolFiles(root);
  const sources = [...found.toolkits, ...found.tools, ...(found.worker ? [found.worker] : [])];
  const imports = new Map<string, readonly string[]>();
  const inspections = await inspectAll(sources, dirname(root), imports);
  const problems = [
    ...found.problems,
    ...importCycles(
      imports,
      sources.map(({ file }) => file),
    ),
  ];
  for (const source of sources) {
    for (const complaint of inspections.get(source)?.complaints ?? []) problems.push(problemIn(source.file, complaint));
  }

  const ownNames = new Map(found.toolkits.map((source) => [source.toolkit, inspections.get(source)?.toolkitName]));
  const all = found.tools.map((file): Tool => {
    const toolkit = ownNames.get(file.toolkit) ?? pascalCase(file.toolkit);
    const tool = pascalCase(file.tool);
    const inspected = inspections.get(file) as Inspected;
    return { file, inspected, id: `${toolkit}.${tool}`, name: inspected.name ?? `${toolkit}_${tool}` };
  });
  const tools = all.filter(({ file }) => file.kind === "tool");
  const others = all.filter(({ file }) => file.kind !== "tool");
  problems.push(...tooLong(tools), ...duplicateIds(tools), ...duplicateNames(tools), ...duplicateNames(others));
  if (problems.length > 0) return { problems: problems.sort((a, b) => compareText(a.file, b.file)) };

  const described = tools.map(({ file, inspected, id, name }) => {
    if (inspected.tool === undefined) throw new TypeError(`${file.file} has neither a description nor a complaint`);
    return { ...inspected.tool, id, name, toolkit: file.toolkit, path: file.path };
  });
  described.sort((a, b) => compareText(a.id, b.id) || compareVersions(a.version, b.version));
  const open = lessGuarded(tools, new Map(described.map((tool) => [tool.id, tool])));
  const missing = missingIn(all, available);
  const wordless = await missingTextRule(dirname(root), imports);
  const { refused, warned } = checkListings(tools, available?.serverName ?? "");
  const told = readInstructions(found, inspections);
  const late = [...open, ...missing, ...wordless, ...refused, ...told.problems];
  if (late.length > 0) return { problems: late };
  const prompts = others.flatMap(({ file: { toolkit, path }, inspected: { prompt }, name }) =>
    prompt ? [{ ...prompt, name, toolkit, path }] : [],
  );
  const resources = others.flatMap(({ file: { toolkit, path }, inspected: { resource }, name }) =>
    resource ? [{ ...resource, about: { name, ...resource.about }, toolkit, path }] : [],
  );
  prompts.sort((a, b) => compareText(a.name, b.name));
  resources.sort((a, b) => compareText(a.uri, b.uri));
  return {
    tools: described,
    prompts,
    resources,
    worker: found.worker?.path,
    instructions: told.instructions,
    warnings: [...warned, ...told.warnings],
    ...(await optionalParts(dirname(root))),
  };
}

/** Finds offers that share a name (or, for resources, a URI), and tools whose versions have different names. */
function duplicateNames(offers: readonly Tool[]): Problem[] {
  const problems: Problem[] = [];
  const byKey = new Map<string, Tool>();
  for (const offer of offers) {
    const { kind } = offer.file;
    const key = `${kind} ${kind === "resource" ? offer.inspected.resource?.uri : offer.name}`;
    const before = byKey.get(key);
    byKey.set(key, before ?? offer);
    if (before && (kind !== "tool" || before.id !== offer.id)) {
      problems.push({
        file: offer.file.file,
        problem: `it is the ${key}, and so is ${before.file.file}`,
        fix: "rename one of them",
      });
    }
    const named = kind === "tool" ? offers.find(({ id, file }) => id === offer.id && file.kind === "tool") : undefined;
    if (named && named.name !== offer.name) {
      problems.push({
        file: offer.file.file,
        problem: `it is called ${offer.name}, and another version of it ${named.name}`,
        fix: "give all versions of one tool the same name, or none",
      });
    }
  }
  return problems;
}

/** @param imports gets what each file imports when it loads */
async function inspectAll(
  sources: readonly Source[],
  base: string,
  imports: Map<string, readonly string[]>,
): Promise<Map<Source, Inspected>> {
  const inspections = new Map<Source, Inspected>();
  if (sources.length === 0) return inspections;
  const out = mkdtempSync(join(tmpdir(), "trivet-"));
  try {
    const paths = sources.map(({ path }) => path);
    const bundles = await bundleAll(paths, out, base, imports);
    const jobs: Job[] = [];
    for (const [index, source] of sources.entries()) {
      const bundled = bundles[index];
      if (bundled && "bundle" in bundled) jobs.push({ bundle: bundled.bundle, source });
      else inspections.set(source, notBundled(bundled, source));
    }
    const evaluated = await evaluate(jobs);
    for (const [index, { source }] of jobs.entries()) {
      inspections.set(source, await withCheck(evaluated[index] as Inspected));
    }
    return inspections;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function notBundled(bundled: Unbundled | undefined, { path }: Source): Inspected {
  const isHere = bundled?.path !== undefined && realpathSync(path) === bundled.path;
  return cannotLoad(bundled?.error ?? "it was not bundled", isHere ? bundled.line : undefined, bundled?.fix);
}

/** Compiles the check that a tool needs. Loads the compiler lazily: few tools need it, and loading takes a while. */
async function withCheck(inspected: Inspected): Promise<Inspected> {
  if (inspected.tool?.demands === undefined) return inspected;
  const { demands, ...tool } = inspected.tool;
  const { compile } = await import("./schema/compile.ts");
  try {
    return { ...inspected, tool: { ...tool, check: compile(demands) } };
  } catch (error) {
    const problem = `its input is not a valid JSON Schema (draft 2020-12): ${describeFailure(error)}`;
    return { version: inspected.version, complaints: [{ problem, fix: "correct what the message names" }] };
  }
}

function tooLong(tools: readonly Tool[]): Problem[] {
  return tools
    .filter(({ name }) => name.length > MAX_NAME)
    .map(({ file, name }) => ({
      file: file.file,
      problem: `its name ${name} is longer than ${MAX_NAME} characters`,
      fix: "shorten the name of the file or the folder",
    }));
}

/**
 * Finds definitions that need what wrangler.toml does not have: a binding, which would be undefined when the tool runs,
 * or the limiter of their rate. Without it, their calls could not be counted, so all would fail.
 */
function missingIn(offers: readonly Tool[], available: Available | undefined): Problem[] {
  if (available === undefined) return [];
  const { limiters, bindings } = available;
  const other = limiters.size > 0 ? `write a rate of ${[...limiters].join(", ")}` : "leave the rate out";
  return offers.flatMap(({ file: { file }, inspected: { tool, prompt, resource } }) => {
    const { rate, env } = (tool ?? prompt ?? resource)?.traits ?? {};
    const unknown = unknownNames(file, env, bindings);
    if (rate === undefined || limiters.has(rate)) return unknown;
    const problem = `its rate is ${rate}, and wrangler.toml has no rate limiter RATE_${rate}`;
    return [...unknown, { file, problem, fix: `${other}, or add [[ratelimits]] with name = "RATE_${rate}"` }];
  });
}

/** What hosts refuse in the listings of these tools, and what they may drop. */
function checkListings(tools: readonly Tool[], serverName: string): { refused: Problem[]; warned: Problem[] } {
  const found = { refused: [] as Problem[], warned: [] as Problem[] };
  for (const { file, inspected, name } of tools) {
    if (inspected.tool === undefined) continue;
    const { description, input } = inspected.tool;
    const listed = { name, description, input: mcp(inspected.tool) ?? input };
    const { refused, warned } = checkListing(listed, inspected.allowed ?? [], serverName);
    found.refused.push(...refused.map((complaint) => problemIn(file.file, complaint)));
    found.warned.push(...warned.map((complaint) => problemIn(file.file, complaint)));
  }
  return found;
}

/** Finds older versions that demand fewer scopes than the newest: callers could use them to avoid its scopes. */
function lessGuarded(tools: readonly Tool[], newest: ReadonlyMap<string, Described>): Problem[] {
  return tools.flatMap(({ id, file, inspected }) => {
    const demanded = newest.get(id)?.traits.scopes ?? [];
    const missing = demanded.filter((scope) => !inspected.tool?.traits.scopes?.includes(scope));
    if (missing.length === 0) return [];
    return {
      file: file.file,
      problem: `the newest ${id} demands the scopes ${demanded.join(", ")}, and this version does not`,
      fix: `add ${missing.map((scope) => JSON.stringify(scope)).join(", ")} to its scopes, or remove the file`,
    };
  });
}

/** Finds folders with the same toolkit name, spellings of the same tool name, and files with the same id. */
function duplicateIds(tools: readonly Tool[]): Problem[] {
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

/** Compares versions as three integers: 10.0.0 comes after 2.0.0. */
function compareVersions(a: string, b: string): number {
  const right = b.split(".").map(BigInt);
  for (const [at, left] of a.split(".").map(BigInt).entries()) {
    const other = right[at] ?? 0n;
    if (left !== other) return left < other ? -1 : 1;
  }
  return 0;
}
