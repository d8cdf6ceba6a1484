/**
 * Finds the skills in `tools/`: a toolkit's own, `tools/<toolkit>/SKILL.md`; further ones, each a folder in
 * `tools/<toolkit>/skills/`; and skills inside the folders of both. Reads folders, but opens no file.
 */
import { type Dirent, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isFolder, kebab, list, SKILL, SKILL_FOLDERS, SKILLS, toolkitComplaint } from "../read/paths.ts";
import type { Problem } from "../read/problem.ts";

export interface SkillFolder {
  /** `tools/vat/skills/invoice-check`, for messages. */
  readonly label: string;
  readonly path: string;
  /** Folder name of its toolkit: `vat`. */
  readonly toolkit: string;
  /** Name of the folder, which must be that of the skill. */
  readonly name: string;
  /** What its URIs begin with: the name, after the path of the skill that contains it: `invoice-check/rates`. */
  readonly place: string;
  /** Paths in the folder, with "/", sorted: `references/types.md`. The files of skills inside it are among them. */
  readonly files: readonly string[];
}

export interface FoundSkills {
  /** Sorted by name. */
  readonly skills: SkillFolder[];
  readonly problems: Problem[];
}

/** Agent Skills, `name` field. Its length is checked separately. */
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME = 64;
/** Characters in file names that cannot be shown: line breaks, or the one that replaces bytes which are not UTF-8. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\uFFFD]/u;

/** @param root the folder of tools; if it is missing, nothing is found */
export function findSkills(root: string): FoundSkills {
  const found: FoundSkills = { skills: [], problems: [] };
  if (!existsSync(root)) return found;
  found.problems.push(...homeless(list(root), basename(root)));
  for (const toolkit of list(root).filter(isFolder)) {
    findIn(join(root, toolkit.name), `${basename(root)}/${toolkit.name}`, toolkit.name, found);
  }
  found.skills.sort((a, b) => (a.name < b.name ? -1 : 1));
  found.problems.push(...twins(found.skills));
  return found;
}

/** Finds a SKILL.md that is not in the folder of a toolkit. */
function homeless(entries: readonly Dirent[], top: string): Problem[] {
  return entries
    .filter(({ name }) => /^skill\.(md|markdown)$/i.test(name))
    .map(({ name }) => ({
      file: `${top}/${name}`,
      problem: "a skill belongs to a toolkit: none is read from here",
      fix: `move it to ${top}/<toolkit>/${SKILL}, or to ${top}/<toolkit>/${SKILLS}/<skill>/${SKILL}`,
    }));
}

function findIn(path: string, label: string, toolkit: string, found: FoundSkills): void {
  const all = list(path);
  found.problems.push(...misspelt(all, label));
  if (all.some(({ name }) => name === SKILL)) {
    const own = all.filter((entry) => entry.name === SKILL || (isFolder(entry) && SKILL_FOLDERS.includes(entry.name)));
    // The name of the toolkit is reported elsewhere.
    const isNamed = toolkitComplaint(toolkit) === undefined;
    const problems = isNamed ? nameProblems(toolkit, label) : [];
    found.problems.push(...problems);
    const files = own.flatMap((entry) => filesOf(entry, "", label, found.problems));
    // The skill has the name of the folder, so it is not read while that has to be renamed.
    const skill = { label, path, toolkit, name: toolkit, place: toolkit, files };
    if (isNamed && problems.length === 0) found.skills.push(skill, ...nestedIn(skill, found.problems));
  }
  const skills = all.find((entry) => entry.name === SKILLS && isFolder(entry));
  for (const entry of skills ? list(join(path, SKILLS)) : []) {
    addSkill(entry, join(path, SKILLS, entry.name), `${label}/${SKILLS}/${entry.name}`, toolkit, found);
  }
}

function addSkill(entry: Dirent, path: string, label: string, toolkit: string, found: FoundSkills): void {
  const { name } = entry;
  if (!isFolder(entry)) {
    const folder = label.replace(/(\.\w+)?$/, "");
    const fix = `move it to ${folder}/${SKILL}, or start its name with "_" if it is not a skill`;
    found.problems.push({ file: label, problem: "a skill is a folder", fix });
    return;
  }
  // The folder itself may be a symbolic link: `npx skills add` makes them.
  const all = ownEntries(path);
  const wrong = misspelt(all, label);
  const misnamed = nameProblems(name, label);
  found.problems.push(...wrong, ...misnamed);
  if (all.some((one) => one.name === SKILL)) {
    const files = all.flatMap((one) => filesOf(one, "", label, found.problems));
    const skill = { label, path, toolkit, name, place: name, files };
    if (misnamed.length === 0) found.skills.push(skill, ...nestedIn(skill, found.problems));
  } else if (wrong.length === 0) {
    const fix = `write ${label}/${SKILL}, or start the name of the folder with "_"`;
    found.problems.push({ file: label, problem: `it has no ${SKILL}`, fix });
  }
}

/** Finds the skills inside the folder of a skill (SEP-2640, Nested skills). */
function nestedIn({ label, path, toolkit, place, files }: SkillFolder, problems: Problem[]): SkillFolder[] {
  return files.flatMap((file) => {
    const folder = file.endsWith(`/${SKILL}`) ? file.slice(0, -SKILL.length - 1) : "";
    const name = basename(folder);
    if (folder === "" || name.startsWith("_")) return [];
    const misnamed = nameProblems(name, `${label}/${folder}`).map(orNone);
    problems.push(...misnamed);
    if (misnamed.length > 0) return [];
    const inside = files.filter((one) => one.startsWith(`${folder}/`)).map((one) => one.slice(folder.length + 1));
    return {
      label: `${label}/${folder}`,
      path: join(path, folder),
      toolkit,
      name,
      place: `${place}/${folder}`,
      files: inside,
    };
  });
}

/** Adds a second fix, because a SKILL.md inside the folder of a skill may be a text for another purpose. */
export function orNone(problem: Problem): Problem {
  return { ...problem, fix: `${problem.fix}; or start the name of its folder with "_" if it is not a skill` };
}

function misspelt(entries: readonly Dirent[], label: string): Problem[] {
  return entries
    .filter(({ name }) => name !== SKILL && /^skill\.(md|markdown)$/i.test(name))
    .map(({ name }) => ({ file: `${label}/${name}`, problem: `only ${SKILL} is read`, fix: `rename it to ${SKILL}` }));
}

/**
 * What is wrong with the name of a skill's folder; `npm run new` calls this before it writes one.
 *
 * @param label path of the folder, for messages
 */
export function nameProblems(name: string, label: string): Problem[] {
  if (NAME.test(name) && name.length <= MAX_NAME) return [];
  const better = kebab(name).slice(0, MAX_NAME).replace(/-$/, "") || "my-skill";
  const problem = `"${name}" is not the name of a skill: lower-case letters and digits, joined by single dashes, at most ${MAX_NAME}`;
  return [{ file: label, problem, fix: `rename the folder to ${label.replace(/[^/]*$/, better)}` }];
}

/** Hosts tell the skills of a server apart by their names (SEP-2640, Names). */
function twins(skills: readonly SkillFolder[]): Problem[] {
  return skills.flatMap(({ name, label }, at) => {
    const before = skills[at - 1];
    if (before?.name !== name) return [];
    const [first = "", second = ""] = [before.label, label].sort();
    const problem = `it is the skill ${name}, and so is ${second}`;
    return [{ file: `${first}/${SKILL}`, problem, fix: "rename one of the folders, and the name in its file" }];
  });
}

/** The paths of an entry's files, relative to the folder of the skill. */
function filesOf(entry: Dirent, inside: string, label: string, problems: Problem[]): string[] {
  const path = `${inside}${entry.name}`;
  if (UNSEEN.test(entry.name)) {
    const problem = "its name has characters that cannot be shown";
    problems.push({ file: `${label}/${path}`, problem, fix: "rename it" });
    return [];
  }
  if (entry.isSymbolicLink()) {
    // It might lead out of tools/, and everyone who can see the skill would get what is there.
    const fix = "copy the file into the folder of the skill";
    problems.push({ file: `${label}/${path}`, problem: "it is a symbolic link", fix });
    return [];
  }
  if (!entry.isDirectory()) return [path];
  const folder = join(entry.parentPath, entry.name);
  return ownEntries(folder).flatMap((one) => filesOf(one, `${path}/`, label, problems));
}

/** The sorted entries of a folder of a skill. A name may begin with "_", as in Python's packages. */
function ownEntries(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules" && name !== "__pycache__")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
