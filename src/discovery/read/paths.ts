/** Derives toolkit, name and version suffix from the paths below `tools/`. Reads folders, but opens no file. */
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { article } from "../lib/article.ts";
import type { Complaint, Problem } from "./problem.ts";

/** A file in the folder of a toolkit. */
export interface SourceFile {
  /** `tools/sms/toolkit.ts`, for messages. */
  readonly file: string;
  readonly path: string;
  /** Folder name: `sms`. */
  readonly toolkit: string;
}

/**
 * What a file offers: `add.ts` a tool, `explain.prompt.ts` a prompt, `all.resource.ts` a resource, `new.event.ts` an
 * event.
 */
export type Kind = "tool" | "prompt" | "resource" | "event";

export interface PrimitiveFile extends SourceFile {
  readonly kind: Kind;
  /** File name without version and extension: `get-emails`. */
  readonly name: string;
  /** The part after the `@`: `1`, `1.2`, `1.2.0`. */
  readonly suffix: string | undefined;
  /** The name that a `toolkit.ts` gives a tool which it defines. `file` is then that file and this name. */
  readonly nameInToolkit?: string;
}

/** A page that hosts show for a tool (docs/views.md): `forecast.view.html` or `forecast.view.ts`, beside the tool. */
export interface ViewFile extends SourceFile {
  /** File name without the ending: `forecast`. */
  readonly name: string;
}

/** `tools/worker.ts`: what a fork adds to the Worker itself. */
export interface WorkerFile {
  readonly kind: "worker";
  readonly file: string;
  readonly path: string;
}

export interface Found {
  /** Every file that looks like a primitive, even with an invalid name, so that one run reports all of its mistakes. */
  readonly primitives: PrimitiveFile[];
  readonly toolkits: SourceFile[];
  /** Views with valid names. */
  readonly views: ViewFile[];
  worker?: WorkerFile;
  /** `tools/instructions.md`: what the server tells models about itself. */
  instructions?: Omit<SourceFile, "toolkit">;
  readonly problems: Problem[];
}

/** First path segments that the server itself uses, or may use by the conventions of its protocols. */
export const RESERVED_TOOLKITS: ReadonlySet<string> = new Set([
  ...["api", "assets", "authorize", "call", "docs", "files", "health", "info", "keys", "llms", "mcp", "oauth"],
  ...["openapi", "opentool", "register", "revoke", "sign-in", "tasks", "token", "tools", "webhooks"],
]);

/** The only code file at the top of the folder. */
const WORKER = "worker.ts";
/** The instructions of the server, at the top of the folder. Those of a toolkit are in its toolkit.ts. */
const INSTRUCTIONS = "instructions.md";
/** The name of a skill's file, and of the folder with a toolkit's further skills (discovery/skills). */
export const SKILL = "SKILL.md";
export const SKILLS = "skills";
/** Folders of the skill whose SKILL.md is beside them (Agent Skills, Optional directories). */
export const SKILL_FOLDERS: readonly string[] = ["scripts", "references", "assets"];
/** Matches a view, even one with an ending that is not read, so that it is reported. */
const VIEW = /^(.*)\.view\.(html?|[cm]?[jt]sx?|vue|svelte)$/;
const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** @param root the folder of tools; if it is missing, nothing is found */
export function findToolFiles(root: string): Found {
  const found: Found = { primitives: [], toolkits: [], views: [], problems: [] };
  // git does not keep the folder when the last tool is deleted.
  if (!existsSync(root)) return found;
  const top = basename(root);
  for (const entry of list(root)) {
    const file = `${top}/${entry.name}`;
    if (isFolder(entry)) readToolkit(join(root, entry.name), file, entry.name, found);
    else if (entry.name === WORKER) found.worker = { kind: "worker", file, path: join(root, entry.name) };
    else if (entry.name === INSTRUCTIONS) found.instructions = { file, path: join(root, entry.name) };
    else if (looksLikeInstructions(entry.name)) {
      found.problems.push({ file, problem: `only ${INSTRUCTIONS} is read`, fix: `rename it to ${INSTRUCTIONS}` });
    } else if (/^worker\.[cm]?[jt]sx?$/.test(entry.name)) {
      found.problems.push({ file, problem: `only ${WORKER} is served`, fix: `rename it to ${WORKER}` });
    } else if (isScript(entry.name)) {
      const problem = "a tool lives in the folder of its toolkit, not in the folder of all toolkits";
      const fix = `move it to ${top}/<toolkit>/${entry.name}, or start its name with "_" if it is a helper`;
      found.problems.push({ file, problem, fix });
    }
  }
  return found;
}

/** @param label the folder's path for messages */
function readToolkit(folder: string, label: string, toolkit: string, found: Found): void {
  const all = list(folder);
  const isSkills = ({ name }: Dirent) => name === SKILLS || name === SKILL;
  const ofSkills = [SKILLS, ...(all.some(({ name }) => name === SKILL) ? SKILL_FOLDERS : [])];
  const isRead = (name: string) => isScript(name) || VIEW.test(name);
  const entries = all.filter((entry) => (isFolder(entry) ? !ofSkills.includes(entry.name) : isRead(entry.name)));
  // A folder without code and skills is not a toolkit, so its name does not matter.
  if (entries.length === 0 && !all.some(isSkills)) return;
  const bad = toolkitComplaint(toolkit);
  if (bad) found.problems.push({ file: label, ...bad });
  for (const { name } of all.filter((entry) => looksLikeInstructions(entry.name))) {
    const problem = "a toolkit's instructions are not read from here";
    const fix = `move the text to ${label}/toolkit.ts: export default defineToolkit({ instructions: "…" })`;
    found.problems.push({ file: `${label}/${name}`, problem, fix });
  }
  for (const entry of entries) {
    const file = `${label}/${entry.name}`;
    const path = join(folder, entry.name);
    if (isFolder(entry)) {
      found.problems.push({ file, ...nestedComplaint(entry, path, label) });
    } else if (VIEW.test(entry.name)) {
      if (entry.isSymbolicLink()) {
        // It might lead out of tools/, and everyone who gets the view can read what is there.
        const fix = `copy the file to ${label}/`;
        found.problems.push({ file, problem: "it is a symbolic link", fix });
      } else addViewFile({ file, path, toolkit }, entry.name, found);
    } else if (!entry.name.endsWith(".ts")) {
      const name = entry.name.replace(/\.\w+$/, ".ts");
      const fix = `rename it to ${name}, or start its name with "_" if it is a helper`;
      found.problems.push({ file, problem: "only .ts files are tools", fix });
    } else if (entry.name === "toolkit.ts") found.toolkits.push({ file, path, toolkit });
    else {
      const [, stem = "", kind = "tool"] = /^(.*?)(?:\.(prompt|resource|event))?\.ts$/.exec(entry.name) ?? [];
      const [name = "", ...rest] = stem.split("@");
      const suffix = rest.length > 0 ? rest.join("@") : undefined;
      const complaint = nameComplaint(name, suffix, kind as Kind);
      if (complaint) found.problems.push({ file, ...complaint });
      found.primitives.push({ file, path, toolkit, kind: kind as Kind, name, suffix: complaint ? undefined : suffix });
    }
  }
}

/** What is wrong with a folder in a toolkit, which may have been meant for a skill. @param label of the toolkit */
function nestedComplaint({ name }: Dirent, path: string, label: string): Complaint {
  const hasSkill = existsSync(join(path, SKILL));
  const isOwn = /^skills?$/i.test(name);
  if (isOwn && !hasSkill) {
    return { problem: `only ${SKILLS}/ is searched for skills`, fix: `rename it to ${label}/${SKILLS}` };
  }
  if (hasSkill) {
    const place = isOwn ? `${label}/` : `${label}/${SKILLS}/${kebab(name) || "my-skill"}`;
    const problem = `it has a ${SKILL}, and skills are not read from here`;
    const fix = isOwn ? `move what is in it to ${place}` : `move it to ${place}`;
    return { problem, fix: `${fix}, or start its name with "_"` };
  }
  if (SKILL_FOLDERS.includes(name)) {
    return {
      problem: `toolkits do not nest, and there is no ${SKILL} whose folder it could be`,
      fix: `write ${label}/${SKILL}, move it to ${label}/${SKILLS}/<skill>/, or start its name with "_" if it holds helpers`,
    };
  }
  const fix = `move its tools to ${label}/, or start its name with "_" if it holds helpers`;
  return { problem: "toolkits do not nest: a folder inside a toolkit is not searched", fix };
}

function addViewFile(source: SourceFile, fileName: string, found: Found): void {
  const [, stem = "", ending = ""] = VIEW.exec(fileName) ?? [];
  const [name = "", suffix] = stem.split("@");
  const complaint = /^(html|tsx?)$/.test(ending)
    ? nameComplaint(name, suffix, "view", ending)
    : {
        problem: "a view is a .view.html, .view.ts or .view.tsx file",
        fix: /^(vue|svelte)$/.test(ending)
          ? `compile it to a script, and import that in ${stem}.view.ts`
          : `rename it to ${stem}.view.${ending === "htm" ? "html" : "ts"}`,
      };
  if (complaint) found.problems.push({ file: source.file, ...complaint });
  else found.views.push({ ...source, name });
}

/**
 * What is wrong with the name of a file of some kind; `npm run new` calls this before it writes one.
 *
 * @param end ending of the file, without the dot
 */
export function nameComplaint(
  name: string,
  suffix: string | undefined,
  kind: Kind | "view",
  end = "ts",
): Complaint | undefined {
  if (!KEBAB.test(name)) {
    const ending = kind === "tool" ? ".ts" : `.${kind}.${end}`;
    const problem = `"${name}" is not ${article(kind)} ${kind} name: file names are lower-case words joined by dashes`;
    const better = `${kebab(name) || `my-${kind}`}${ending}`;
    return { problem, fix: `rename the file to ${better}, or start its name with "_" if it is a helper` };
  }
  if (suffix !== undefined && kind !== "tool") {
    return { problem: `${article(kind)} ${kind} has no versions`, fix: `rename the file to ${name}.${kind}.${end}` };
  }
  if (suffix !== undefined && !/^\d+(\.\d+){0,2}$/.test(suffix)) {
    const fix = `name the file ${name}@1.ts, ${name}@1.2.ts or ${name}@1.2.0.ts, to match its version`;
    return { problem: "the part after the @ is not a version", fix };
  }
  return undefined;
}

/** What is wrong with the name of a toolkit's folder. */
export function toolkitComplaint(toolkit: string): Complaint | undefined {
  if (!KEBAB.test(toolkit)) {
    const problem = `"${toolkit}" is not a toolkit name: folder names are lower-case words joined by dashes`;
    return { problem, fix: `rename the folder to ${kebab(toolkit) || "my-toolkit"}` };
  }
  if (RESERVED_TOOLKITS.has(toolkit)) {
    const problem = `"${toolkit}" is reserved: the server answers /${toolkit} itself`;
    return { problem, fix: `rename the folder, to my-${toolkit} for example` };
  }
  return undefined;
}

/** The sorted entries of a folder, without helpers ("_…"), hidden files and node_modules. */
export function list(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !/^[_.]/.test(name) && name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Follows symbolic links. */
export function isFolder(entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function looksLikeInstructions(name: string): boolean {
  return /^instructions\.(md|markdown|txt)$/i.test(name);
}

/** Whether a file is code, other than a test or a type declaration. */
function isScript(name: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(name) && !/\.(test|d)\.[cm]?[jt]sx?$/.test(name);
}

/** Lower-case words joined by dashes, as near to a name as possible; empty if nothing is left of it. */
export function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^[-0-9]+|-+$/g, "")
    .toLowerCase();
}

/** `get-emails` → `GetEmails`. Names in a `toolkit.ts` may also be `get_emails` or `getEmails`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|[-_]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}
