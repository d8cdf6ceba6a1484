/**
 * Renders the modules by which a fork gets only the parts of the Worker that it uses: `#parts` exports one of two forms
 * of a function, and `#entrypoints` the classes that wrangler.toml names.
 */
import { dirname, join } from "node:path";
import type { Discovery } from "../read/discovery.ts";
import { specifierOf } from "./bundle-toolkit.ts";
import { HEAD } from "./write.ts";

const SRC = join(import.meta.dirname, "../..");

/** An export, as `name` or `name as other`, and the file that it is in. */
type Export = readonly [name: string, file: string];

interface Exports {
  readonly parts: readonly Export[];
  readonly entrypoints: readonly Export[];
}

const WITHOUT_TASKS: Exports = {
  parts: [
    ["execute", "core/pipeline/execute.ts"],
    ["callTool", "protocols/mcp/methods/tools.ts"],
    ["modernEra", "protocols/mcp/dialects/modern/era.ts"],
  ],
  entrypoints: [["Claims", "claims.ts"]],
};

const WITH_TASKS: Exports = {
  parts: [
    ["executeWithTasks as execute", "core/tasks/execute-with-tasks.ts"],
    ["callToolWithTasks as callTool", "protocols/mcp/methods/long-tools.ts"],
    ["modernEraWithTasks as modernEra", "protocols/mcp/dialects/modern/tasks/era.ts"],
  ],
  entrypoints: [
    ["ClaimsWithTasks as Claims", "tasks/claims-with-tasks.ts"],
    ["LongRun", "tasks/workflow.ts"],
  ],
};

/** Whether the Worker needs the parts for long tools. */
export function hasTasks({ tools, hasWorkflow = false }: Pick<Discovery, "tools" | "hasWorkflow">): boolean {
  // wrangler refuses a workflow whose class is missing.
  return hasWorkflow || tools.some(({ traits }) => traits.long);
}

/**
 * @param out path of the catalogue; the modules are next to it
 * @returns the text of each module by path
 */
export function renderParts(discovery: Discovery, out: string): Map<string, string> {
  const { parts, entrypoints } = hasTasks(discovery) ? WITH_TASKS : WITHOUT_TASKS;
  const render = (name: string, exports: readonly Export[]): [string, string] => {
    const path = join(dirname(out), name);
    const lines = exports.map(
      ([what, file]) => `export { ${what} } from ${JSON.stringify(specifierOf(path, join(SRC, file)))};\n`,
    );
    return [path, HEAD + lines.join("")];
  };
  return new Map([render("parts.ts", parts), render("entrypoints.ts", entrypoints)]);
}
