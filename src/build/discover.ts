/**
 * Discovery: finds, loads and checks every tool in a folder. Reports the mistakes in files, import cycles and duplicate
 * names, sorted by file; if there are none, what scopes, listings, instructions or wrangler.toml do not allow.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe as mcp } from "../protocols/mcp/describe.ts";
import { unknownNames } from "./bindings/bindings.ts";
import { type Candidate, conflicts, lessGuarded } from "./conflicts.ts";
import { lineOfMember } from "./lib/member-line.ts";
import { checkListing } from "./listing/check-listing.ts";
import { bundleAll, type Unbundled } from "./read/bundle.ts";
import { type Imports, importCycles } from "./read/cycles.ts";
import type { Discovery } from "./read/discovery.ts";
import { cannotLoad, describeFailure, evaluate, type Job, type Source } from "./read/evaluate.ts";
import type { Inspected } from "./read/inspected.ts";
import { readInstructions } from "./read/instructions.ts";
import { findToolFiles, type OfferFile, pascalCase } from "./read/paths.ts";
import { type Complaint, type Problem, problemIn } from "./read/problem.ts";
import { type Available, DEFAULT_PARTS } from "./settings/available.ts";

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
  const sources = [...found.toolkits, ...found.offers, ...(found.worker ? [found.worker] : [])];
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
  const all = found.offers.map((file): Candidate => {
    const toolkit = ownNames.get(file.toolkit) ?? pascalCase(file.toolkit);
    const tool = pascalCase(file.name);
    const inspected = inspections.get(file) as Inspected;
    return { file, inspected, id: `${toolkit}.${tool}`, name: inspected.name ?? `${toolkit}_${tool}` };
  });
  const tools = all.filter(({ file }) => file.kind === "tool");
  const others = all.filter(({ file }) => file.kind !== "tool");
  problems.push(...conflicts(tools, others));
  if (problems.length > 0) return { problems: sorted(problems) };

  const described = tools.map(({ file, inspected, id, name }) => {
    if (inspected.tool === undefined) throw new TypeError(`${file.file} has neither a description nor a complaint`);
    return { ...inspected.tool, id, name, toolkit: file.toolkit, path: file.path };
  });
  described.sort((a, b) => compareText(a.id, b.id) || compareVersions(a.version, b.version));
  const open = lessGuarded(tools, new Map(described.map((tool) => [tool.id, tool])));
  const missing = [...missingIn(all, available), ...missingTextRule(imports, available)];
  const listings = checkListings(tools, available?.serverName ?? "");
  const { instructions, ...read } = readInstructions(found, inspections);
  const together = [...open, ...missing, ...listings.refused, ...read.problems];
  if (together.length > 0) return { problems: sorted(together) };
  const prompts = others.flatMap(({ file: { toolkit, path }, inspected: { prompt }, name }) =>
    prompt ? [{ ...prompt, name, toolkit, path }] : [],
  );
  const resources = others.flatMap(({ file: { toolkit, path }, inspected: { resource }, name }) =>
    resource ? [{ ...resource, about: { name, ...resource.about }, toolkit, path }] : [],
  );
  const { documents, traces } = available ?? DEFAULT_PARTS;
  prompts.sort((a, b) => compareText(a.name, b.name));
  resources.sort((a, b) => compareText(a.uri, b.uri));
  return {
    tools: described,
    prompts,
    resources,
    worker: found.worker?.path,
    instructions,
    warnings: [...listings.warned, ...read.warnings],
    documents,
    traces,
  };
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

/**
 * Finds definitions that need what wrangler.toml does not have: a binding, which would be undefined when the tool runs,
 * or the limiter of their rate. Without it, their calls could not be counted, so all would fail.
 */
function missingIn(offers: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined) return [];
  const { limiters, bindings } = available;
  const other = limiters.size > 0 ? `write a rate of ${[...limiters].join(", ")}` : "leave the rate out";
  return offers.flatMap(({ file, inspected: { tool, prompt, resource } }) => {
    const { rate, env } = (tool ?? prompt ?? resource)?.traits ?? {};
    const complaints = unknownNames(env, bindings);
    if (rate !== undefined && !limiters.has(rate)) {
      const problem = `its rate is ${rate}, and wrangler.toml has no rate limiter RATE_${rate}`;
      const fix = `${other}, or add [[ratelimits]] with name = "RATE_${rate}"`;
      complaints.push({ problem, fix, member: "rate" });
    }
    return complaints.map((complaint) => problemAt(file, complaint));
  });
}

/** Files that wrangler imports as text only if a rule in wrangler.toml says so. */
const BY_RULE = ".md";

/**
 * Finds an import of a .md file that wrangler would refuse, with a message that names neither the rule nor the file of
 * settings: those of older forks lack the rule.
 *
 * @param imports what each file imports, as messages name them
 */
function missingTextRule(imports: Imports, available: Available | undefined): Problem[] {
  const importing = [...imports].find(([, paths]) => paths.some((path) => path.endsWith(BY_RULE)));
  if (importing === undefined || available === undefined || available.importsMarkdown) return [];
  const problem = `it imports a ${BY_RULE} file, and wrangler.toml has no rule that such files are text`;
  const fix = `add to wrangler.toml: [[rules]] with type = "Text", globs = ["**/*${BY_RULE}"] and fallthrough = true`;
  return [{ file: importing[0], problem, fix }];
}

/** What hosts refuse in the listings of these tools, and what they may drop. */
function checkListings(tools: readonly Candidate[], serverName: string): { refused: Problem[]; warned: Problem[] } {
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

/** With the line of the member that the complaint is about. */
function problemAt({ file, path }: OfferFile, complaint: Complaint): Problem {
  const { member } = complaint;
  const line = member === undefined ? undefined : lineOfMember(readFileSync(path, "utf8"), member);
  return problemIn(file, { line, ...complaint });
}

function sorted(problems: readonly Problem[]): Problem[] {
  const nameOf = ({ file }: Problem) => file.replace(/:\d+$/, "");
  return problems.toSorted((a, b) => compareText(nameOf(a), nameOf(b)));
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
