/** `npm run discover -- --tokens`: what the listings cost a model, as docs/listings.md shows it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { runDiscovery } from "../../support/node/discovery.ts";
import { type Project, project, ROOT, tool } from "../../support/node/project.ts";

const DOCS = readFileSync(join(ROOT, "docs/listings.md"), "utf8");
const ROUTE = /^```ts\n\/\/ tools\/(map\/route\.ts)\n(.*?)^```$/ms.exec(DOCS);

let made: Project;
/** The lines of the table, without what discovery says besides. */
let table: readonly string[];
beforeAll(async () => {
  made = project({
    [ROUTE?.[1] ?? "no path"]: ROUTE?.[2] ?? "no text",
    "map/places.ts": tool({ session: "true", attachments: "true" }),
    // No model is shown it.
    "map/pin.ts": tool({ visibility: '["app"]' }),
    "map/places@0.ts": tool({ version: '"0.9.0"' }),
    "instructions.md": "Maps. Find a place before the way to it.",
  });
  const lines = (await runDiscovery(made.tools, made.out, ["--tokens"])).stdout.split("\n");
  const begins = (text: string) => lines.findIndex((line) => line.startsWith(text));
  table = lines.slice(begins("estimated tokens"), begins("all ") + 1);
});

it("prints the table that docs/listings.md shows", () => {
  expect(DOCS).toContain(`\n\`\`\`\n${table.join("\n")}\n\`\`\`\n`);
});

it("counts each tool's newest version, what a protocol adds, and the instructions where there is a place for them", () => {
  const rows = table.map((line) => line.split(/ {2,}/));
  expect(rows[0]?.slice(1)).toEqual(["MCP", "MCP 2026-07-28", "OXP", "OpenTool"]);
  expect(rows.map(([name]) => name).slice(1)).toEqual(["Map_Places", "Map_Route", "instructions", "all 2 tools"]);
  const figures = rows.slice(1).map((cells) => cells.slice(1).map(Number));
  const [places = [], , instructions] = figures;
  const [mcp = 0, modern = 0, oxp = 0] = places;
  expect(modern).toBeGreaterThan(mcp);
  expect(mcp).toBeGreaterThan(oxp);
  expect(instructions).toEqual([10, 10, 0, 10]);
  const sums = [0, 1, 2, 3].map((at) => figures.slice(0, 3).reduce((sum, row) => sum + (row[at] ?? 0), 0));
  expect(figures[3]).toEqual(sums);
});

it("prints no table unless asked", async () => {
  const { stdout } = await made.discover();
  expect(stdout).toContain("discovered 3 tools");
  expect(stdout).not.toContain("tokens");
});
