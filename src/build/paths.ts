/** What a file's place under `tools/` says: toolkit, tool, version suffix. Reads folders, opens no file. */
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Problem } from "./problem.ts";

export interface ToolFile {
  /** `tools/calculator/add@1.ts`, for messages. */
  readonly file: string;
  readonly path: string;
  /** Folder name: `calculator`. */
  readonly toolkit: string;
  /** File name without version and ending: `get-emails`. */
  readonly tool: string;
  /** What stands behind the `@`: `1`, `1.2`, `1.2.0`. */
  readonly suffix: string | undefined;
}

export interface Found {
  readonly tools: ToolFile[];
  /** Paths of `toolkit.ts` files by folder name. */
  readonly toolkits: Map<string, { readonly file: string; readonly path: string }>;
  readonly problems: Problem[];
}

/** First path segments that the server itself answers, now or by its protocols' conventions. */
export const RESERVED_TOOLKITS: ReadonlySet<string> = new Set([
  ...["api", "assets", "authorize", "call", "docs", "files", "health", "info", "keys", "llms", "mcp", "oauth"],
  ...["openapi", "opentool", "register", "revoke", "sign-in", "tasks", "token", "tools", "webhooks"],
]);

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export function findToolFiles(root: string): Found {
  const found: Found = { tools: [], toolkits: new Map(), problems: [] };
  const top = basename(root);
  for (const entry of sorted(root)) {
    if (entry.isDirectory()) readToolkit(join(root, entry.name), `${top}/${entry.name}`, entry.name, found);
    else if (isSource(entry.name)) {
      found.problems.push({
        file: `${top}/${entry.name}`,
        problem: "a tool lives in the folder of its toolkit, not in the folder of all toolkits",
        fix: `move it to ${top}/<toolkit>/${entry.name}`,
      });
    }
  }
  return found;
}

function readToolkit(folder: string, shown: string, toolkit: string, found: Found): void {
  const entries = sorted(folder);
  if (!entries.some((entry) => entry.isDirectory() || isSource(entry.name))) return;
  const bad = toolkitProblem(toolkit);
  if (bad) {
    found.problems.push({ file: shown, ...bad });
    return;
  }
  for (const entry of entries) {
    const file = `${shown}/${entry.name}`;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      found.problems.push({
        file,
        problem: "toolkits do not nest: a folder inside a toolkit is not searched",
        fix: `move its tools to ${shown}/, or start its name with "_" if it holds helpers`,
      });
    } else if (entry.name === "toolkit.ts") found.toolkits.set(toolkit, { file, path });
    else if (isSource(entry.name)) readTool(file, path, toolkit, entry.name, found);
  }
}

function readTool(file: string, path: string, toolkit: string, name: string, found: Found): void {
  const [tool = "", suffix, ...rest] = name.slice(0, -".ts".length).split("@");
  if (!KEBAB.test(tool)) {
    found.problems.push({
      file,
      problem: `"${tool}" is not a tool name: file names are lower-case words joined by dashes`,
      fix: `rename the file to ${kebab(tool) || "my-tool"}.ts, or start its name with "_" if it is a helper`,
    });
  } else if (rest.length > 0 || (suffix !== undefined && !/^\d+(\.\d+){0,2}$/.test(suffix))) {
    found.problems.push({
      file,
      problem: "what stands behind the @ is not a version",
      fix: `name the file ${tool}@1.ts, ${tool}@1.2.ts or ${tool}@1.2.0.ts, as its version begins`,
    });
  } else found.tools.push({ file, path, toolkit, tool, suffix });
}

function toolkitProblem(toolkit: string): Omit<Problem, "file"> | undefined {
  if (!KEBAB.test(toolkit)) {
    return {
      problem: `"${toolkit}" is not a toolkit name: folder names are lower-case words joined by dashes`,
      fix: `rename the folder to ${kebab(toolkit) || "my-toolkit"}`,
    };
  }
  if (RESERVED_TOOLKITS.has(toolkit)) {
    return { problem: `"${toolkit}" is reserved: the server answers /${toolkit} itself`, fix: "rename the folder" };
  }
  return undefined;
}

/** Folders and `.ts` files that may hold tools; what starts with "_" or "." is a helper, what ends in .test.ts a test. */
function sorted(folder: string) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !/^[_.]/.test(name) && name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isSource(name: string): boolean {
  return name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith(".d.ts");
}

function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^[-0-9]+|-+$/g, "")
    .toLowerCase();
}

/** `get-emails` → `GetEmails` */
export function pascal(name: string): string {
  return name.replace(/(^|-)([a-z0-9])/g, (_, _dash, letter: string) => letter.toUpperCase());
}
