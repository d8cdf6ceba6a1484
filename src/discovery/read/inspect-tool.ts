/**
 * Checks and describes what the file of a tool exports, and a `toolkit.ts`, which may define tools without files of
 * their own. Every mistake becomes a complaint with a fix.
 */

import { isRecord } from "../../core/lib/json.ts";
import type { ToolOptions } from "../../core/model/definition.ts";
import type { Listing } from "../../core/model/tool-description.ts";
import { RULE_NAMES } from "../listing/check-listing.ts";
import { portable } from "../listing/portable.ts";
import { withoutMarks } from "../schema/changed.ts";
import { describeInput, describeOutput } from "../schema/describe-schema.ts";
import { regexesIn } from "../schema/patterns.ts";
import { ownSchema } from "../schema/schema.ts";
import { promisesOf, uncheckedRulesOf } from "../schema/unchecked-rules.ts";
import { checkOptions, TOOL_OPTIONS } from "./check-options.ts";
import { describeFailure } from "./evaluate.ts";
import type { FromToolkit, Inspected } from "./inspected.ts";
import { parameterHeaders } from "./parameter-headers.ts";
import type { PrimitiveFile, SourceFile } from "./paths.ts";
import { type Complaint, unknownMembers } from "./problem.ts";
import { checkViewOptions, isAppOnly, viewOptionsOf } from "./view-options.ts";

const MEMBERS = [
  "name",
  "version",
  "description",
  "input",
  "output",
  "listing",
  "view",
  "visibility",
  "prepare",
  "run",
];
/** Time limit of a long tool that has none of its own: 15 minutes. */
const LONG_TIMEOUT_MS = 900_000;
/** OXP 1.0, ToolDefinition, `name`. MCP's grammar is more permissive. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

type Exports = Readonly<Record<string, unknown>>;

export function inspectTool(exports: Exports, file: PrimitiveFile): Inspected {
  const definition = exports.default;
  if (!isRecord(definition)) {
    const named = Object.keys(exports).length > 0 ? ` (it exports ${Object.keys(exports).join(", ")})` : "";
    const problem =
      definition === undefined ? `it has no default export${named}` : "its default export is not a tool definition";
    const fix = "write export default defineTool({ version, description, input, output, run })";
    return { complaints: [{ problem, fix }] };
  }
  const complaints = [...checkMembers(definition), ...checkVersion(definition.version, file)];
  const version = isVersion(definition.version) ? definition.version : undefined;
  const complainOf = (member: string) => (problem: string, fix: string) => complaints.push({ problem, fix, member });
  complaints.push(...checkOptions(definition), ...checkViewOptions(definition));
  if (definition.name !== undefined && !(typeof definition.name === "string" && NAME.test(definition.name))) {
    const fix = 'write 1 to 64 of A-Z a-z 0-9 _ -, such as name: "add"';
    complainOf("name")("its name is not valid in every protocol", fix);
  }
  const marked = describeInput(definition.input, complainOf("input"));
  const output = describeOutput(definition.output, complainOf("output"));
  if (complaints.length > 0 || version === undefined || marked === undefined || output === undefined) {
    return { complaints, version };
  }
  const described = withoutMarks(marked);
  const headers = parameterHeaders(described, complainOf("input"));
  if (complaints.length > 0) return { complaints, version };
  const options = {
    ...Object.fromEntries(
      TOOL_OPTIONS.filter((key) => definition[key] !== undefined).map((key) => [key, definition[key]]),
    ),
    ...(Boolean(definition.long) && definition.timeoutMs === undefined && { timeoutMs: LONG_TIMEOUT_MS }),
    ...(headers.length > 0 && { headers }),
    ...(isAppOnly(definition) && { appOnly: true as const }),
  } as ToolOptions;
  const description = definition.description as string;
  const uncheckedRules = uncheckedRulesOf(definition.input, marked);
  const promises = promisesOf(definition.output, output);
  const { allow: allowed = [] } = (definition.listing ?? {}) as Listing;
  const input = portable(described, allowed);
  const own = ownSchema(definition.input);
  const verbatim = allowed.includes("reference") ? own : undefined;
  const more = {
    own,
    verbatim,
    ...(uncheckedRules && { uncheckedRules }),
    ...(promises && { promises }),
    ...viewOptionsOf(definition),
  };
  const tool = {
    version,
    description,
    options,
    described,
    regexes: regexesIn(definition.input),
    input,
    output,
    ...more,
  };
  return { complaints, version, name: definition.name as string | undefined, allowed, tool };
}

const TOOLKIT_MEMBERS = ["name", "instructions", "tools"];

/**
 * Checks a `toolkit.ts`, which has a name, instructions or tools. A toolkit may only change the casing of its folder's
 * name, so that the name in paths and the name in ids stay recognizably the same.
 */
export async function inspectToolkit(
  exports: Readonly<Record<string, unknown>>,
  source: SourceFile,
): Promise<Inspected> {
  const { toolkit } = source;
  const letters = toolkit.replaceAll("-", "").toLowerCase();
  const definition = isRecord(exports.default) ? exports.default : {};
  const { name, instructions, tools } = definition;
  const unknown = unknownMembers("toolkit", definition, TOOLKIT_MEMBERS);
  if (unknown.length > 0) return { complaints: unknown };
  if (instructions !== undefined && (typeof instructions !== "string" || instructions.trim() === "")) {
    const problem = 'its "instructions" is not a text';
    const fix = 'write instructions: "When to use these tools.", or leave it out';
    return { complaints: [{ problem, fix, member: "instructions" }] };
  }
  const isNamed = name !== undefined || (instructions === undefined && tools === undefined);
  if (isNamed && (typeof name !== "string" || !/^[A-Za-z0-9]+$/.test(name) || name.toLowerCase() !== letters)) {
    const problem = `its default export does not spell "${toolkit}" (without dashes, in any casing)`;
    const fix = `write export default defineToolkit({ name: "${letters.toUpperCase()}" }), or delete the file`;
    return { complaints: [{ problem, fix, member: "name" }] };
  }
  const toolkitTools = tools === undefined ? undefined : await inspectToolkitTools(tools, source);
  if (toolkitTools && "problem" in toolkitTools) return { complaints: [toolkitTools] };
  return { complaints: [], toolkitName: name as string | undefined, instructions: instructions?.trim(), toolkitTools };
}

/** @param tools the `tools` of the definition */
async function inspectToolkitTools(tools: unknown, source: SourceFile): Promise<Complaint | FromToolkit[]> {
  const refused = (problem: string, fix: string) => ({ problem, fix, member: "tools" });
  if (typeof tools !== "function") {
    const fix = "write tools: fromOpenTool(…) (docs/opentool.md), or a file for each tool";
    return refused('its "tools" is not a function', fix);
  }
  let found: unknown;
  try {
    found = await tools();
  } catch (error) {
    const fix = "correct what the message names; discovery calls this, without network, secrets and bindings";
    return refused(`its tools cannot be read: ${describeFailure(error)}`, fix);
  }
  if (!isRecord(found) || Object.keys(found).length === 0) {
    return refused("its tools() brings no tools", "have it return tools by name, or leave it out");
  }
  const wrong = Object.keys(found).find((name) => !(NAME.test(name) && /[A-Za-z0-9]/.test(name)));
  if (wrong !== undefined) {
    const fix = "write 1 to 64 of A-Z a-z 0-9 _ -, and not only _ -";
    return refused(`it brings a tool called ${JSON.stringify(wrong)}`, fix);
  }
  return Object.entries(found).map(([name, tool]) => inspectOne(name, tool, source));
}

function inspectOne(name: string, tool: unknown, source: SourceFile): FromToolkit {
  const label = `${source.file} (${name})`;
  const file = { ...source, file: label, kind: "tool", name, suffix: undefined, nameInToolkit: name } as const;
  const { complaints, ...inspected } = inspectTool({ default: tool }, file);
  // Without `member`: the lines of these members cannot be found in toolkit.ts.
  return { file, inspected: { ...inspected, complaints: complaints.map(({ problem, fix }) => ({ problem, fix })) } };
}

function* checkMembers(definition: Exports): Generator<Complaint> {
  yield* unknownMembers("tool", definition, [...MEMBERS, ...TOOL_OPTIONS]);
  if (typeof definition.run !== "function") {
    yield { problem: "it has no function run", fix: "add run(input, ctx) { … }", member: "run" };
  }
  const { description, listing, prepare } = definition;
  if (prepare !== undefined && !definition.long) {
    const problem = "it has a prepare, which only long tools have";
    yield { problem, fix: "write long: true, or do this in run", member: "prepare" };
  } else if (prepare !== undefined && typeof prepare !== "function") {
    const fix = "write prepare(input, ctx) { … }, or leave it out";
    yield { problem: "its prepare is not a function", fix, member: "prepare" };
  }
  if (listing !== undefined && !isListing(listing)) {
    const names = RULE_NAMES.map((name) => JSON.stringify(name)).join(", ");
    const problem = "its listing does not say which rules to allow";
    yield { problem, fix: `write listing: { allow: […] } with some of ${names}, or leave it out`, member: "listing" };
  }
  if (typeof description !== "string" || description.trim() === "") {
    const fix = 'add description: "When and how to use the tool."';
    yield { problem: "it has no description", fix, member: "description" };
  }
}

function isListing(listing: unknown): boolean {
  if (!isRecord(listing)) return false;
  const { allow = [], ...rest } = listing;
  const isKnown = (name: unknown) => (RULE_NAMES as readonly unknown[]).includes(name);
  return Array.isArray(allow) && allow.every(isKnown) && Object.keys(rest).length === 0;
}

function* checkVersion(version: unknown, { suffix, name }: PrimitiveFile): Generator<Complaint> {
  if (!isVersion(version)) {
    const problem =
      version === undefined ? "it has no version" : `its version ${JSON.stringify(version)} is not three integers`;
    yield { problem, fix: 'write version: "1.0.0"', member: "version" };
  } else if (suffix !== undefined && !`${version}.`.startsWith(`${suffix}.`)) {
    const problem = `the file's name says @${suffix}, its version says ${version}`;
    const fix = `rename the file to ${name}@${version.split(".")[0]}.ts, or correct the version`;
    yield { problem, fix, member: "version" };
  }
}

/** OXP 1.0, "Tool identity". No leading zeros: `01.0.0` and `1.0.0` would be two spellings of one version. */
function isVersion(version: unknown): version is string {
  return typeof version === "string" && /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version);
}
