/** A fork's tools folder, inside the project so that imports resolve, and deleted when the file's tests end. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CatalogSource } from "../../../src/core/catalog/catalog.ts";
import { removeLater } from "./clean-up.ts";
import { runDiscovery } from "./discovery.ts";
import type { Exited } from "./script.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");
/** Ignored by git and by the type checker, which must not see the mistakes that tests write. */
const FOLDER = join(ROOT, ".wrangler/tests");

export interface Project {
  readonly folder: string;
  readonly tools: string;
  readonly out: string;
  write(files: Record<string, string>): void;
  /** `env` is added to this process's environment. */
  discover(env?: Record<string, string>): Promise<Exited>;
  /** Imports the generated module. Each call loads it again. */
  catalog(): Promise<CatalogSource>;
}

/** Creates a project with these files, by path in `tools/`. */
export function project(files: Record<string, string> = {}): Project {
  mkdirSync(FOLDER, { recursive: true });
  const folder = mkdtempSync(join(FOLDER, "project-"));
  removeLater(folder);
  const tools = join(folder, "tools");
  const out = join(folder, "generated/catalog.ts");
  let reads = 0;
  const write = (more: Record<string, string>) => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(tools, path)), { recursive: true });
      writeFileSync(join(tools, path), text);
    }
  };
  write(files);
  return {
    folder,
    tools,
    out,
    write,
    discover: (env) => runDiscovery(tools, out, [], env),
    async catalog() {
      const module: { default: CatalogSource } = await import(`${pathToFileURL(out).href}?${reads++}`);
      return module.default;
    },
  };
}

const MEMBERS = {
  version: '"1.0.0"',
  description: '"Does what the test needs."',
  input: 'v.object({ a: v.pipe(v.string(), v.description("A text.")) })',
  output: "v.string()",
  run: "() => 'done'",
};

/** Source of a tool file. `changes` are members by name, as source text; `undefined` omits one. */
export function tool(changes: Record<string, string | undefined> = {}, before = ""): string {
  const members = Object.entries({ ...MEMBERS, ...changes }).filter(([, text]) => text !== undefined);
  const text = members.map(([, member]) => member).join() + before;
  // Import only what is used: bundling all three libraries for each case would take a minute.
  const libraries = [
    'import * as v from "valibot";',
    /\bz\./.test(text) && 'import { z } from "zod";',
    /\btype[(.]/.test(text) && 'import { type } from "arktype";',
  ].filter((line) => line !== false);
  const body = members.map(([name, text]) => `  ${name}: ${text},`).join("\n");
  // The cast hides mistakes that a fork's type checker would find: discovery must not rely on it.
  return `${libraries.join("\n")}
import { defineTool } from "#tool";
${before}
export default defineTool({
${body}
} as any);
`;
}

/** Source of a resource that returns its variables. `members` are all others but `read`. */
export const echoResource = (members: string) => `import { defineResource } from "#tool";
export default defineResource({ ${members}, read: (variables) => JSON.stringify(variables) });\n`;

/** Source of a resource of many URIs that returns its variables. */
export const echoFamily = (uri: string, more = "") =>
  echoResource(`uri: "${uri}", description: "A family."${more && `, ${more}`}`);

/** Source of a parameter with a description. */
export const described = (schema: string) => `v.pipe(${schema}, v.description("What it is."))`;
