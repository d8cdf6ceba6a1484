/** Estimates how many tokens the listings cost a model: `npm run discover -- --tokens`. */
import { type Instructions, instructionsFor } from "../../core/catalog/instructions.ts";
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";
import { describe as mcp, describeModern as modern } from "../../protocols/mcp/describe.ts";
import { describe as opentool } from "../../protocols/opentool/describe.ts";

/** Of JSON in English. docs/listings.md has the error, measured with four tokenizers. */
const CHARACTERS_PER_TOKEN = 4;

/** What hosts give a model of a tool, by protocol: its name, its description, its input. */
const LISTINGS: Readonly<Record<string, (tool: Described) => unknown>> = {
  MCP: (tool) => shown(tool, mcp(tool)),
  "MCP 2026-07-28": (tool) => shown(tool, modern(tool) ?? mcp(tool)),
  OXP: (tool) => shown(tool),
  OpenTool: (tool) => ({ name: tool.name, description: tool.description, parameters: opentool(tool).parameters }),
};

function shown({ name, description, input }: Described, schema: JsonSchema = input) {
  return { name, description, input: schema };
}

/**
 * Renders a table with a line per tool, then one for all of them.
 *
 * @param tools the newest version of each counts, because a model is not shown the others
 * @param instructions what clients of MCP and OpenTool get before they list tools
 */
export function tokenTable(tools: readonly Described[], instructions: Instructions | undefined): string {
  const newest = tools.filter(({ id }, at) => tools[at + 1]?.id !== id);
  const kinds = Object.entries(LISTINGS);
  const estimates = newest.map((tool) => kinds.map(([, listing]) => tokens(JSON.stringify(listing(tool)))));
  const sums = kinds.map((_, at) => estimates.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const text = instructions && instructionsFor(instructions)(new Set(Object.keys(instructions.toolkits)), undefined);
  // OXP has no place for instructions.
  const instructionTokens = kinds.map(([kind]) => (kind === "OXP" ? 0 : tokens(text ?? "")));
  const rows: [string, ...(string | number)[]][] = [
    ["estimated tokens", ...kinds.map(([kind]) => kind)],
    ...newest.map(({ name }, at): [string, ...number[]] => [name, ...(estimates[at] ?? [])]),
    ...(text === undefined ? [] : [["instructions", ...instructionTokens] as [string, ...number[]]]),
    [`all ${newest.length} tools`, ...sums.map((sum, at) => sum + (instructionTokens[at] ?? 0))],
  ];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => String(row[at]).length))) ?? [];
  return rows
    .map(([name, ...cells]) => {
      const aligned = cells.map((cell, at) => String(cell).padStart(widths[at + 1] ?? 0));
      return [name.padEnd(widths[0] ?? 0), ...aligned].join("  ");
    })
    .join("\n");
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
