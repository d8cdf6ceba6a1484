/**
 * Reads the files of skills: frontmatter, digests and sizes, and the contents as they are bundled (SEP-2640,
 * modelcontextprotocol/ext-skills, specification/stable/skills.mdx).
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DiscoveredSkill, SkillFile } from "../read/discovery.ts";
import { SKILL } from "../read/paths.ts";
import { type Problem, problemIn } from "../read/problem.ts";
import { orNone, type SkillFolder } from "./find-skills.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { mediaType } from "./media-type.ts";

/** What every host accepts of one skill (SEP-2640, Limits). */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 2 ** 20;

/** @returns the skill, without the scopes that its toolkit demands; or what is wrong */
export function readSkill(
  folder: SkillFolder,
): { readonly skill: Omit<DiscoveredSkill, "options"> } | { readonly problems: readonly Problem[] } {
  const main = `${folder.label}/${SKILL}`;
  const excess = tooLarge(folder);
  if (excess) return { problems: [{ file: main, ...excess }] };
  const files = folder.files.map((path) => readOne(folder, path));
  const text = files.find(({ path }) => path === SKILL)?.content;
  if (typeof text !== "string") {
    return { problems: [{ file: main, problem: "it is not UTF-8", fix: "save it as UTF-8" }] };
  }
  const read = readFrontmatter(text, folder.name);
  const { name, toolkit, place } = folder;
  if ("complaints" in read) {
    const problems = read.complaints.map((complaint) => problemIn(main, complaint));
    return { problems: place === name ? problems : problems.map(orNone) };
  }
  const description = String(read.frontmatter.description);
  return { skill: { name, toolkit, place, frontmatter: read.frontmatter, files, description } };
}

function tooLarge({ files, path }: SkillFolder): { problem: string; fix: string } | undefined {
  const fix = `hosts accept ${MAX_FILES} files and 16 MiB: remove some, or make two skills of it`;
  if (files.length > MAX_FILES) return { problem: `its folder has ${files.length} files`, fix };
  const bytes = files.reduce((sum, file) => sum + statSync(join(path, file)).size, 0);
  return bytes > MAX_BYTES ? { problem: `its folder has ${bytes} bytes`, fix } : undefined;
}

function readOne({ place, path: folder }: SkillFolder, path: string): SkillFile {
  const bytes = readFileSync(join(folder, path));
  const text = textOf(bytes);
  return {
    uri: `skill://${[place, path].join("/").split("/").map(encodeURIComponent).join("/")}`,
    path,
    file: join(folder, path),
    mimeType: mediaType(path, text !== undefined),
    digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
    size: bytes.length,
    content: text ?? { base64: bytes.toString("base64") },
  };
}

/** The text of a file if it is UTF-8, so that the same bytes can be made from it again. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
