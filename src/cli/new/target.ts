/** Reads what `npm run new` was asked to write: names, files, and what the new tool needs. Writes nothing. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lineOfMember } from "../../discovery/lib/member-line.ts";
import { findToolFiles, type Kind, nameComplaint, pascalCase, toolkitComplaint } from "../../discovery/read/paths.ts";
import { Mistake } from "../lib/mistake.ts";

export type Made = Kind | "view" | "skill";

export interface Target {
  readonly kind: Made;
  /** `weather` */
  readonly toolkit: string;
  /** `forecast` */
  readonly name: string;
  /** `Weather.Forecast` */
  readonly id: string;
  /** `Weather_Forecast`: the name of a tool or a prompt over MCP. */
  readonly mcpName: string;
  /** `tools/weather/forecast.ts` */
  readonly file: string;
  /** `tools/weather/forecast.test.ts`. A skill has none. */
  readonly test?: string;
  /** The tool of a view, if it is written together with the view. */
  readonly tool?: Target;
}

/** What a new tool needs. Other files need nothing. */
export interface Needs {
  readonly secret: string | undefined;
  readonly authorization: string | undefined;
  readonly session: boolean;
}

/** Names that no toolkit may have: a reader would take its folder for another file. Each with the reason. */
const TAKEN_TOOLKITS = {
  worker: "tools/worker.ts, without a toolkit, is the file that extends the Worker (docs/own-routes.md)",
  instructions: "tools/instructions.md is what the server tells models (docs/listings.md)",
};
/** The same for the tools of a toolkit. */
const takenIn = (toolkit: string) => ({
  ...TAKEN_TOOLKITS,
  toolkit: `tools/${toolkit}/toolkit.ts is the toolkit's own file (docs/tools.md)`,
  index: "a toolkit has no index, because each file is a tool",
});

/** @throws {Mistake} if the name is one of those that are taken */
function refuseTaken(name: string, taken: Readonly<Record<string, string>>, text: string): void {
  if (Object.hasOwn(taken, name)) throw new Mistake(`"${text}": ${taken[name]}: choose another name.`);
}

/**
 * @param text `weather/forecast`; also `tools/weather/forecast.ts`, as a shell completes it
 * @throws {Mistake} if discovery would refuse the name, or a file of that name exists
 */
export function readTarget(text: string, kind: Kind, root: string): Target {
  const { toolkit, name } = readNames(text, kind);
  const ending = kind === "tool" ? "" : `.${kind}`;
  const file = `tools/${toolkit}/${name}${ending}.ts`;
  const test = `tools/${toolkit}/${name}${ending}.test.ts`;
  refuseExisting([file, test], root);
  return { kind, toolkit, name, ...namesOf(toolkit, name, root), file, test };
}

/** @throws {Mistake} if discovery would refuse them */
export function readNames(text: string, kind: Kind | "view"): { toolkit: string; name: string } {
  const path = text.replace(/^(\.\/)?tools\//, "").replace(/\.ts$/, "");
  const [toolkit = "", file = "", ...rest] = path.split("/");
  if (toolkit === "" || file === "" || rest.length > 0) {
    const how = "the toolkit is a folder in tools/, as in `npm run new -- weather/forecast`";
    throw new Mistake(`"${text}" is not TOOLKIT/NAME: ${how}.`);
  }
  const [name = "", version] = file.split("@");
  if (version !== undefined && kind === "tool") {
    const how = "a further version begins as a copy of the tool's file: docs/tools.md says how to name it";
    throw new Mistake(`"${text}": ${how}.`);
  }
  if (kind === "tool") refuseTaken(name, takenIn(toolkit), text);
  refuseToolkit(toolkit, text);
  const complaint = nameComplaint(name, version, kind);
  if (complaint) throw new Mistake(`${complaint.problem}: ${complaint.fix}.`);
  return { toolkit, name };
}

/** @throws {Mistake} if discovery would refuse the folder, or a reader would take it for something else */
export function refuseToolkit(toolkit: string, text: string): void {
  refuseTaken(toolkit, TAKEN_TOOLKITS, text);
  const complaint = toolkitComplaint(toolkit);
  if (complaint) throw new Mistake(`${complaint.problem}: ${complaint.fix}.`);
}

/** @throws {Mistake} if one of the files exists */
export function refuseExisting(files: readonly string[], root: string): void {
  const existing = files.find((file) => existsSync(join(root, file)));
  if (existing) throw new Mistake(`${existing} exists already, and is left as it is: choose another name, or edit it.`);
}

/** @throws {Mistake} if the name over MCP has more than 64 characters */
export function namesOf(toolkit: string, name: string, root: string): Pick<Target, "id" | "mcpName"> {
  const id = `${toolkitName(toolkit, root)}.${pascalCase(name)}`;
  const mcpName = id.replace(".", "_");
  if (mcpName.length > 64) throw new Mistake(`${mcpName} is longer than 64 characters: choose a shorter name.`);
  return { id, mcpName };
}

/** The tools of a toolkit: what MCP clients call them, by the second part of their ids: `Forecast`. */
export async function toolsIn(toolkit: string, root: string): Promise<ReadonlyMap<string, string>> {
  const { primitives, toolkits } = findToolFiles(join(root, "tools"));
  const files = primitives.filter((file) => file.kind === "tool" && file.toolkit === toolkit);
  // Of several versions, the newest is in the file without "@", which comes first.
  const newest = files.filter(({ name }, at) => name !== files[at - 1]?.name);
  const ofFiles = newest.map(({ name, path }): [string, string] => {
    return [pascalCase(name), ownName(path) ?? namesOf(toolkit, name, root).mcpName];
  });
  const hasOwnFile = toolkits.some((file) => file.toolkit === toolkit);
  return new Map([...ofFiles, ...(hasOwnFile ? await toolkitToolsIn(toolkit, root) : [])]);
}

/** The tools that toolkit.ts brings (docs/opentool.md); none while a file in tools/ has a mistake. */
async function toolkitToolsIn(toolkit: string, root: string): Promise<[string, string][]> {
  // Loads esbuild, so it is imported only for a toolkit that has such a file.
  const { discover } = await import("../../discovery/discover.ts");
  const found = await discover(join(root, "tools"), undefined);
  const tools = "problems" in found ? [] : found.tools;
  return tools
    .filter((tool) => tool.toolkit === toolkit && tool.nameInToolkit !== undefined)
    .map(({ id, name }) => [id.slice(id.indexOf(".") + 1), name]);
}

/** The `name` in the definition of a tool or a toolkit; undefined if it has none. */
function ownName(path: string): string | undefined {
  const source = readFileSync(path, "utf8");
  const line = source.split("\n")[(lineOfMember(source, "name") ?? 0) - 1];
  return /\bname:\s*["'`]([\w-]+)["'`]/.exec(line ?? "")?.[1];
}

/** @throws {Mistake} if a name is not in the usual spelling */
export function readNeeds(values: { secret?: string; authorization?: string; session?: boolean }): Needs {
  const { secret, authorization, session = false } = values;
  if (secret !== undefined && !/^[A-Z][A-Z0-9_]*$/.test(secret)) {
    const how = "write capitals, digits and _, as in API_KEY";
    throw new Mistake(`--secret: "${secret}" is not the name of a secret: ${how}.`);
  }
  if (authorization !== undefined && !/^[a-z][a-z0-9-]*$/.test(authorization)) {
    const how = "write lower-case letters, digits and -, as in google";
    throw new Mistake(`--authorization: "${authorization}" is not the id of a service: ${how}.`);
  }
  return { secret, authorization, session };
}

/** The spelling in the toolkit's own file, such as SMS, or else that of its folder. */
function toolkitName(toolkit: string, root: string): string {
  const file = join(root, "tools", toolkit, "toolkit.ts");
  return (existsSync(file) ? ownName(file) : undefined) ?? pascalCase(toolkit);
}
