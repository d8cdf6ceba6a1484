/** Checks what the file of a prompt or a resource exports, and describes it. */
import * as v from "valibot";
import { isRecord } from "../../core/lib/json.ts";
import type { PromptEntry, ResourceEntry } from "../../core/model/primitives.ts";
import { checkAnnotationsAndSize } from "../resources/annotations.ts";
import { readResourceUri } from "../resources/uri.ts";
import { broken, type Rule, TEXT } from "../schema/rules.ts";
import { COMMON_OPTIONS, checkCommon } from "./check-options.ts";
import type { Inspected } from "./inspected.ts";
import { type Complaint, unknownMembers } from "./problem.ts";

const PROMPT_MEMBERS = ["name", "title", "description", "arguments", "icons", ...COMMON_OPTIONS, "get"];
/** What listings show of a resource besides its name and URI. */
const RESOURCE_SHOWN = ["title", "description", "mimeType", "icons", "annotations", "size", "meta"];
const RESOURCE_MEMBERS = ["uri", "name", ...RESOURCE_SHOWN, "ttlMs", ...COMMON_OPTIONS, "complete", "read"];

const OF_RESOURCES: Readonly<Record<string, Rule>> = {
  mimeType: [TEXT, "its mimeType is not a string", 'write mimeType: "text/plain", or leave it out'],
  ttlMs: [
    v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    "its ttlMs is not a whole number of milliseconds",
    "write an integer, such as ttlMs: 60_000, or leave it out if clients must not cache it",
  ],
};

type Definition = Readonly<Record<string, unknown>>;

export function inspectPrompt(exports: Definition): Inspected {
  const definition = exports.default;
  if (!isRecord(definition) || typeof definition.get !== "function") {
    return notDefined("prompt", "definePrompt({ description, arguments, get })");
  }
  const complaints = [...checkPrimitive(definition, "prompt", PROMPT_MEMBERS)];
  const args = definition.arguments ?? {};
  if (!isRecord(args)) {
    const fix = 'write arguments: { city: { description: "Where." } }';
    complaints.push({ problem: 'its "arguments" is not an object', fix, member: "arguments" });
  } else for (const [name, argument] of Object.entries(args)) complaints.push(...checkArgument(name, argument));
  if (complaints.length > 0) return { complaints };
  const about: PromptEntry["about"] = {
    ...pick(definition, ["title", "icons"]),
    description: String(definition.description),
    arguments: Object.entries(args as Record<string, Definition>).map(([name, argument]) => ({
      name,
      ...(pick(argument, ["title", "description", "required"]) as { description: string }),
    })),
  };
  return { complaints, name: nameOf(definition), prompt: { about, options: optionsOf(definition) } };
}

export function inspectResource(exports: Definition): Inspected {
  const definition = exports.default;
  if (!isRecord(definition) || typeof definition.read !== "function") {
    return notDefined("resource", "defineResource({ uri, description, read })");
  }
  const complaints = [...checkPrimitive(definition, "resource", RESOURCE_MEMBERS)];
  const { uri, complete = {} } = definition;
  const read = readResourceUri(uri);
  if ("problem" in read) complaints.push({ ...read, member: "uri" });
  if ("names" in read) complaints.push(...checkCompletions(complete, read.names));
  complaints.push(...checkAnnotationsAndSize(definition));
  complaints.push(...broken(OF_RESOURCES, definition));
  if (complaints.length > 0) return { complaints };
  const about = pick(definition, RESOURCE_SHOWN) as ResourceEntry["about"];
  const more = { ...("pattern" in read && { pattern: read.pattern }), about, ...pick(definition, ["ttlMs"]) };
  const resource = { uri: String(uri), ...more, options: optionsOf(definition) };
  return { complaints, name: nameOf(definition), resource };
}

function notDefined(kind: string, call: string): Inspected {
  const problem = `its default export is not a ${kind} definition`;
  return { complaints: [{ problem, fix: `write export default ${call}` }] };
}

function* checkPrimitive(definition: Definition, kind: string, members: readonly string[]): Generator<Complaint> {
  yield* unknownMembers(kind, definition, members);
  if (!v.is(TEXT, definition.description))
    yield { problem: "it has no description", fix: 'add description: "What it is for."', member: "description" };
  if (definition.name !== undefined && !v.is(TEXT, definition.name)) {
    yield { problem: "its name is not a non-empty string", fix: "write a name, or leave it out", member: "name" };
  }
  yield* checkCommon(definition);
}

/** Checks what clients are shown of an argument, and its completion. */
function* checkArgument(name: string, argument: unknown): Generator<Complaint> {
  if (!isRecord(argument) || !v.is(TEXT, argument.description)) {
    const fix = `write ${name}: { description: "What it is for." }`;
    return yield { problem: `the argument "${name}" has no description`, fix, member: "arguments" };
  }
  const { title, required, complete } = argument;
  if (title !== undefined && typeof title !== "string") {
    yield { problem: `the title of the argument "${name}" is not a string`, fix: "write a string, or leave it out" };
  }
  if (required !== undefined && typeof required !== "boolean") {
    const problem = `the required of the argument "${name}" is not true or false`;
    yield { problem, fix: "write required: true, or leave it out" };
  }
  yield* checkCompletion(name, complete);
}

/** @param names of the variables in its URI */
function* checkCompletions(complete: unknown, names: readonly string[]): Generator<Complaint> {
  if (!isRecord(complete)) {
    const fix = "write complete: { id: (prefix) => […] }";
    return yield { problem: 'its "complete" is not an object', fix, member: "complete" };
  }
  for (const [name, completer] of Object.entries(complete)) {
    const problem = `complete has "${name}", but its uri has no such variable`;
    if (names.includes(name)) yield* checkCompletion(name, completer);
    else yield { problem, fix: "remove it", member: "complete" };
  }
}

function* checkCompletion(name: string, complete: unknown): Generator<Complaint> {
  if (complete === undefined || typeof complete === "function") return;
  yield {
    problem: `the completion of "${name}" is not a function`,
    fix: 'write a function, such as (prefix) => ["Oslo", "Bergen"].filter((city) => city.startsWith(prefix))',
  };
}

function optionsOf(definition: Definition): PromptEntry["options"] {
  return pick(definition, COMMON_OPTIONS);
}

function nameOf({ name }: Definition): string | undefined {
  return typeof name === "string" ? name : undefined;
}

function pick(from: Definition, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}
