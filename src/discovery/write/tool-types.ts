/** Writes the types of the tools and prompts by name, for tests that call them through `#test`. */
import { dirname, join } from "node:path";
import type { Discovery } from "../read/discovery.ts";
import { specifierOf } from "./bundle-toolkit.ts";
import { HEAD } from "./head.ts";
import { writeIfChanged } from "./write.ts";

/** Writes `tools.d.ts` next to the catalogue. @param out path of the catalogue */
export function writeToolTypes(discovery: Discovery, out: string): void {
  const file = join(dirname(out), "tools.d.ts");
  writeIfChanged(file, render(discovery, file));
}

function render({ tools, prompts, resources, skills, views }: Discovery, file: string): string {
  const typeOf = (path: string) => `typeof import(${JSON.stringify(specifierOf(file, path))}).default`;
  const members = (entries: Iterable<readonly [name: string, type: string]>) =>
    Array.from(entries, ([name, type]) => `  ${JSON.stringify(name)}: ${type};\n`).join("");
  // Versions of one tool are sorted, so the last one is what its id without a version means.
  const references = new Map<string, string>();
  for (const { id, version, path, nameInToolkit } of tools) {
    const type = nameInToolkit === undefined ? typeOf(path) : toolkitToolType(typeOf(path), nameInToolkit);
    for (const reference of referencesTo(id, version)) references.set(reference, type);
  }
  const oneOf = (texts: Iterable<string>) => Array.from(texts, (text) => JSON.stringify(text)).join(" | ") || "never";
  const uris = new Set([...resources, ...skills.flatMap(({ files }) => files)].map(({ uri }) => uri));
  return `${HEAD}/** Tools by id, with and without version. */
export interface Tools {
${members(references)}}

/** Prompts by the name that clients see. */
export interface Prompts {
${members(prompts.map(({ name, path }) => [name, typeOf(path)]))}}

export type ResourceUri = ${oneOf(uris)};

/** Ids of the tools that have a view. */
export type ViewId = ${oneOf(views.map(({ tool }) => tool))};
`;
}

function toolkitToolType(toolkit: string, name: string): string {
  return `Awaited<ReturnType<NonNullable<${toolkit}["tools"]>>>[${JSON.stringify(name)}]`;
}

/** OXP 1.0, Tool Version Resolution: `@1` means 1.0.0. */
function referencesTo(id: string, version: string): string[] {
  const major = /^(\d+)\.0\.0$/.exec(version)?.[1];
  return [id, `${id}@${version}`, ...(major === undefined ? [] : [`${id}@${major}`])];
}
