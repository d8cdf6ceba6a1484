/** Estimates how many tokens the listings cost a model: `npm run discover -- --tokens`. */
import { type Instructions, instructionsFor } from "../../core/catalog/instructions.ts";
import { tokensOf, tokensOfTool } from "../../core/lib/token-estimate.ts";
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";
import { describe as mcp, describeModern as modern } from "../../protocols/mcp/describe.ts";
import { describe as opentool } from "../../protocols/opentool/describe.ts";

/** Estimates, by protocol, the tokens of what hosts show a model of a tool: its name, its description, its input. */
const LISTINGS: Readonly<Record<string, (tool: Described) => number>> = {
  MCP: (tool) => cost(tool, mcp(tool)),
  "MCP 2026-07-28": (tool) => cost(tool, modern(tool) ?? mcp(tool)),
  OXP: (tool) => cost(tool),
  OpenTool: (tool) => {
    const { name, description } = tool;
    return tokensOf(JSON.stringify({ name, description, parameters: opentool(tool).parameters }));
  },
};

function cost({ name, description, input }: Described, schema: JsonSchema = input): number {
  return tokensOfTool(name, description, schema);
}

/**
 * Renders a table with a line per tool, then one for all of them.
 *
 * @param tools sorted by id, then by version. Only the newest version of each counts, because a model is not shown the
 *   others, and no tool that is only for views
 * @param instructions what clients of MCP and OpenTool get before they list tools
 */
export function tokenTable(tools: readonly Described[], instructions: Instructions | undefined): string {
  const shown = tools.filter(({ options }) => !options.appOnly);
  const newest = shown.filter(({ id }, at) => shown[at + 1]?.id !== id);
  const kinds = Object.entries(LISTINGS);
  const estimates = newest.map((tool) => kinds.map(([, listing]) => listing(tool)));
  const sums = kinds.map((_, at) => estimates.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const text = instructions && instructionsFor(instructions)(new Set(Object.keys(instructions.toolkits)), undefined);
  // OXP has no place for instructions.
  const instructionTokens = kinds.map(([kind]) => (kind === "OXP" ? 0 : tokensOf(text ?? "")));
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
