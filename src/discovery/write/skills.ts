/**
 * Renders skills: a module with the contents of each, and the lines of the catalogue for its files, which are
 * resources. A host may never read them, so each is imported only when it is read.
 */
import { join } from "node:path";
import type { DiscoveredSkill, SkillFile } from "../read/discovery.ts";
import { SKILL } from "../read/paths.ts";
import { specifierOf } from "./bundle-toolkit.ts";
import { HEAD } from "./head.ts";

/** How long a client may cache a file, in milliseconds: as long as a listing, which has its digest. */
const TTL_MS = 60_000;

/**
 * @param folder where the modules are written
 * @param out    path of the catalogue
 * @param files  gets the text of each module by path
 * @returns a line for each file
 */
export function renderSkills(
  skills: readonly DiscoveredSkill[],
  folder: string,
  out: string,
  files: Map<string, string>,
): string[] {
  return skills.flatMap((skill) => {
    const module = join(folder, `${skill.name}.ts`);
    const own = ownFiles(skill, skills);
    const contents = own.map(({ content }) => `  ${JSON.stringify(content)},`);
    const type = "readonly (string | { readonly base64: string })[]";
    files.set(module, `${HEAD}const files: ${type} = [\n${contents.join("\n")}\n];\nexport default files;\n`);
    const specifier = JSON.stringify(specifierOf(out, module));
    return resourcesOf(skill, own).map((resource, index) => {
      const members = Object.entries(resource).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      const load = `load: () => skillFile(import(${specifier}), ${index})`;
      return `    { ${members.join(", ")}, ${load} },`;
    });
  });
}

/** The files of a skill, except those of skills inside its folder, which belong to these. */
function ownFiles({ place, files }: DiscoveredSkill, skills: readonly DiscoveredSkill[]): readonly SkillFile[] {
  const inside = skills.filter((other) => other.place.startsWith(`${place}/`));
  const isInside = (path: string) => inside.some((other) => `${place}/${path}`.startsWith(`${other.place}/`));
  return files.filter(({ path }) => !isInside(path));
}

/** The own files of a skill as the catalogue has them, without `load`. */
function resourcesOf(
  { name, toolkit, options, description, frontmatter, files }: DiscoveredSkill,
  own: readonly SkillFile[],
) {
  const main = files.find(({ path }) => path === SKILL)?.uri;
  // A host verifies all that is in the folder.
  const resources = files.map(({ uri, digest, size }) => ({ uri, digest, size }));
  const entry = JSON.stringify({ uri: main, frontmatter, resources });
  return own.map(({ uri, path, mimeType }) => ({
    uri,
    toolkit,
    about:
      uri === main
        ? { name, description, mimeType }
        : { name: `${name}/${path}`, description: `A file of the skill ${name}`, mimeType },
    ttlMs: TTL_MS,
    options,
    // A person who picks a resource wants the skill, not its other files.
    ...(uri === main ? { skill: entry } : { isUnlisted: true }),
  }));
}
