/**
 * Discovery: finds, loads and checks every tool in a folder. Reports the mistakes in files, import cycles and duplicate
 * names, sorted by file; if there are none, what scopes, listings, instructions or wrangler.toml do not allow.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codeWarnings } from "./code-warnings.ts";
import { conflicts, lessGuarded } from "./conflicts.ts";
import { readInstructions } from "./instructions.ts";
import type { Bundling } from "./lib/bundling.ts";
import { checkListing } from "./listing/check-listing.ts";
import { explodingIn } from "./listing/exploding.ts";
import { bundleAll, type Unbundled } from "./read/bundle.ts";
import { importCycles, withCycle } from "./read/cycles.ts";
import type { Discovered, Discovery } from "./read/discovery.ts";
import { cannotLoad, describeFailure, evaluate, type Job, type Source } from "./read/evaluate.ts";
import type { Candidate, FromToolkit, Inspected } from "./read/inspected.ts";

import { type Found, findToolFiles, pascalCase } from "./read/paths.ts";
import { type Problem, problemIn } from "./read/problem.ts";
import { type Available, NO_SETTINGS } from "./settings/available.ts";
import { missingFeatures, missingForEvents, missingForLong, missingIn, reservedIn } from "./settings/missing.ts";
import { readSkills, withScopes } from "./skills/skills.ts";
import { readViews } from "./views/read-views.ts";

/**
 * @param root      the folder of tools
 * @param available what wrangler.toml has; undefined without a wrangler.toml
 * @param isDev     whether `npm start` serves what is found: then views can be debugged
 * @param print     gets what a file prints while it is loaded
 * @returns what was found, or the problems if there are any. Rejects only because of a bug of ours
 */
export async function discover(
  root: string,
  available: Available | undefined,
  isDev = false,
  print: (file: string, text: string) => void = () => {},
): Promise<Discovery | { problems: Problem[] }> {
  const found = findToolFiles(root);
  const sources = [...found.toolkits, ...found.primitives, ...(found.worker ? [found.worker] : [])];
  const imports = new Map<string, readonly string[]>();
  const inspections = await inspectAll(sources, dirname(root), imports, available?.bundling);
  for (const [{ file }, { printed }] of inspections) if (printed) print(file, printed);
  const files = sources.map(({ file }) => file);
  const candidates = candidatesOf(found, inspections);
  const tools = candidates.filter(({ file }) => file.kind === "tool");
  const others = candidates.filter(({ file }) => file.kind !== "tool");
  const skills = await readSkills(root, others);
  const wrong = [
    ...found.problems,
    ...importCycles(imports, files),
    ...sources.flatMap((source) => complaintsIn(source.file, inspections.get(source))),
    ...toolkitToolsIn(found, inspections).flatMap(({ file, inspected }) => complaintsIn(file.file, inspected)),
    ...conflicts(tools, others),
    ...skills.problems,
  ];
  if (wrong.length > 0) return { problems: sorted(wrong) };

  const described = describeTools(tools);
  const listings = await checkListings(tools, available?.serverName ?? "");
  const { instructions, ...read } = readInstructions(found, inspections);
  const shown = await readViews(found.views, described, tools, { base: dirname(root), isDev });
  const refused = [
    ...lessGuarded(tools, new Map(described.map((tool) => [tool.id, tool]))),
    ...reservedIn(candidates),
    ...missingIn(candidates, available),
    ...missingForLong(candidates, available),
    ...missingForEvents(candidates, available),
    ...missingFeatures(candidates),
    ...listings.refused,
    ...read.problems,
    ...shown.problems,
  ];
  if (refused.length > 0) return { problems: sorted(refused) };
  return {
    tools: described,
    ...describeOthers(others),
    views: shown.views,
    skills: withScopes(skills.read, described),
    worker: found.worker?.path,
    instructions,
    warnings: [
      ...listings.warned,
      ...read.warnings,
      ...sources.flatMap((source) =>
        (inspections.get(source)?.warnings ?? []).map((warning) => problemIn(source.file, warning)),
      ),
      ...(await codeWarnings(imports, dirname(root))),
    ],
    settings: available?.forFeatures ?? NO_SETTINGS,
  };
}

function complaintsIn(file: string, inspected: Inspected | undefined): Problem[] {
  return (inspected?.complaints ?? []).map((complaint) => problemIn(file, complaint));
}

function toolkitToolsIn(found: Found, inspections: ReadonlyMap<Source, Inspected>): FromToolkit[] {
  return found.toolkits.flatMap((source) => inspections.get(source)?.toolkitTools ?? []);
}

/** All primitives, with the names that come from their paths and from the toolkits' own files. */
function candidatesOf(found: Found, inspections: ReadonlyMap<Source, Inspected>): Candidate[] {
  const reservedNames = new Map(found.toolkits.map((source) => [source.toolkit, inspections.get(source)?.toolkitName]));
  const ofFiles = found.primitives.map((file) => ({ file, inspected: inspections.get(file) as Inspected }));
  return [...ofFiles, ...toolkitToolsIn(found, inspections)].map(({ file, inspected }) => {
    const toolkit = reservedNames.get(file.toolkit) ?? pascalCase(file.toolkit);
    const name = pascalCase(file.name);
    return { file, inspected, id: `${toolkit}.${name}`, name: inspected.name ?? `${toolkit}_${name}` };
  });
}

/** @returns sorted by id, then by version */
function describeTools(tools: readonly Candidate[]): Discovered[] {
  const described = tools.map(({ file, inspected, id, name }) => {
    if (inspected.tool === undefined) throw new TypeError(`${file.file} has neither a description nor a complaint`);
    const { toolkit, path, nameInToolkit } = file;
    return { ...inspected.tool, id, name, toolkit, path, nameInToolkit };
  });
  return described.sort((a, b) => compareText(a.id, b.id) || compareVersions(a.version, b.version));
}

/** @returns prompts and events sorted by name, and resources sorted by URI */
function describeOthers(others: readonly Candidate[]): Pick<Discovery, "prompts" | "resources" | "events"> {
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => compareText(a.name, b.name);
  const prompts = others.flatMap(({ file: { toolkit, path }, inspected: { prompt }, name }) =>
    prompt ? [{ ...prompt, name, toolkit, path }] : [],
  );
  const resources = others.flatMap(({ file: { toolkit, path }, inspected: { resource }, name }) =>
    resource ? [{ ...resource, about: { name, ...resource.about }, toolkit, path }] : [],
  );
  const events = others.flatMap(({ file: { toolkit, path }, inspected: { event }, name }) =>
    event ? [{ ...event, name, toolkit, path }] : [],
  );
  resources.sort((a, b) => compareText(a.uri, b.uri));
  return { prompts: prompts.sort(byName), resources, events: events.sort(byName) };
}

/** @param imports gets what each file imports when it loads */
async function inspectAll(
  sources: readonly Source[],
  base: string,
  imports: Map<string, readonly string[]>,
  bundling: Bundling | undefined,
): Promise<Map<Source, Inspected>> {
  const inspections = new Map<Source, Inspected>();
  if (sources.length === 0) return inspections;
  const out = mkdtempSync(join(tmpdir(), "trivet-"));
  try {
    const paths = sources.map(({ path }) => path);
    const bundles = await bundleAll(paths, out, base, imports, bundling);
    const jobs: Job[] = [];
    for (const [index, source] of sources.entries()) {
      const bundled = bundles[index];
      if (bundled && "bundle" in bundled) jobs.push({ bundle: bundled.bundle, source });
      else inspections.set(source, notBundled(bundled, source));
    }
    const evaluated = await evaluate(jobs);
    for (const [index, { source }] of jobs.entries()) {
      const inspected = evaluated[index] as Inspected;
      const { thrownIn = [] } = inspected;
      const complaints = inspected.complaints.map((complaint) => withCycle(complaint, thrownIn, imports));
      inspections.set(source, await withChecks({ ...inspected, complaints }));
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

async function withChecks(inspected: Inspected): Promise<Inspected> {
  const { toolkitTools } = inspected;
  if (toolkitTools === undefined) return withCheck(inspected);
  const compiled = toolkitTools.map(async (tool) => ({ ...tool, inspected: await withCheck(tool.inspected) }));
  return { ...inspected, toolkitTools: await Promise.all(compiled) };
}

/** Compiles the check that a tool needs. Loads the compiler lazily: few tools need it, and loading takes a while. */
async function withCheck(inspected: Inspected): Promise<Inspected> {
  const { tool, event } = inspected;
  const uncheckedRules = tool?.uncheckedRules;
  const promises = tool?.promises ?? event?.promises;
  if (uncheckedRules === undefined && promises === undefined) return inspected;
  const { compile } = await import("./schema/compile.ts");
  const checks: { -readonly [Member in "check" | "outputCheck"]?: string } = {};
  try {
    if (uncheckedRules) checks.check = compile(uncheckedRules);
  } catch (error) {
    return notValid("input", error, inspected);
  }
  try {
    if (promises) checks.outputCheck = compile(promises);
  } catch (error) {
    return notValid(event ? "payload" : "output", error, inspected);
  }
  return {
    ...inspected,
    ...(tool && { tool: { ...tool, ...checks } }),
    ...(event && { event: { ...event, ...checks } }),
  };
}

function notValid(member: string, error: unknown, { version }: Inspected): Inspected {
  const problem = `its ${member} is not a valid JSON Schema (draft 2020-12): ${describeFailure(error)}`;
  return { version, complaints: [{ problem, fix: "correct what the message names", member }] };
}

/** What hosts refuse in the listings of these tools, and what they may drop. */
async function checkListings(
  tools: readonly Candidate[],
  serverName: string,
): Promise<{ refused: Problem[]; warned: Problem[] }> {
  const found = { refused: [] as Problem[], warned: [] as Problem[] };
  for (const { file, inspected, name } of tools) {
    if (inspected.tool === undefined) continue;
    const { description, described, own, regexes } = inspected.tool;
    const listed = { name, description, input: described, own, exploding: await explodingIn(described, regexes) };
    const { refused, warned } = checkListing(listed, inspected.allowed ?? [], serverName);
    found.refused.push(...refused.map((complaint) => problemIn(file.file, complaint)));
    found.warned.push(...warned.map((complaint) => problemIn(file.file, complaint)));
  }
  return found;
}

function sorted(problems: readonly Problem[]): Problem[] {
  const nameOf = ({ file }: Problem) => file.replace(/:\d+$/, "");
  return problems.toSorted((a, b) => compareText(nameOf(a), nameOf(b)));
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares versions by their numbers: 10.0.0 comes after 2.0.0. */
const compareVersions = new Intl.Collator("en", { numeric: true }).compare;
