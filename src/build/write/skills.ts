/**
 * Renders skills: a module with the contents of each, and the lines of the catalogue for its files, which are resources.
 * A host may read none of them, so each is imported when it is read.
 */
import { join } from "node:path";
import type { DiscoveredSkill } from "../read/discovery.ts";
import { specifierOf } from "./bundle-toolkit.ts";
import { HEAD } from "./write.ts";

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
    const contents = skill.files.map(({ content }) => `  ${JSON.stringify(content)},`);
    const type = "readonly (string | { readonly base64: string })[]";
    files.set(module, `${HEAD}const files: ${type} = [\n${contents.join("\n")}\n];\nexport default files;\n`);
    const specifier = JSON.stringify(specifierOf(out, module));
    return resourcesOf(skill).map((resource, index) => {
      const members = Object.entries(resource).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      const load = `load: () => skillFile(import(${specifier}), ${index})`;
      return `    { ${members.join(", ")}, ${load} },`;
    });
  });
}

/** The files of a skill as the catalogue has them, without `load`. */
export function resourcesOf({ name, toolkit, traits, description, frontmatter, files }: DiscoveredSkill) {
  const main = `skill://${name}/SKILL.md`;
  const resources = files.map(({ uri, digest, size }) => ({ uri, digest, size }));
  const entry = JSON.stringify({ uri: main, frontmatter, resources });
  return files.map(({ uri, path, mimeType }) => ({
    uri,
    toolkit,
    about:
      uri === main
        ? { name, description, mimeType }
        : { name: `${name}/${path}`, description: `A file of the skill ${name}`, mimeType },
    ttlMs: TTL_MS,
    traits,
    // A person who picks a resource wants the skill, and none of its other files.
    ...(uri === main ? { skill: entry } : { isUnlisted: true }),
  }));
}
