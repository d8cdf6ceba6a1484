/** What tools/ needs of src/features, from which a fork may remove what it does not use (docs/architecture.md). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Candidate } from "../../../src/discovery/read/inspected.ts";
import { missingFeatures } from "../../../src/discovery/settings/missing.ts";
import { MANIFESTS } from "../../../src/features/manifests.ts";

const folder = mkdtempSync(join(tmpdir(), "missing-"));
afterAll(() => rmSync(folder, { recursive: true }));

const defined = (name: string, inspected: object, kind = "tool", text = "") => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return { file: { file: `tools/kit/${name}`, path, kind }, inspected } as unknown as Candidate;
};
const tool = (options: object) => ({ tool: { options } });

const CANDIDATES = [
  defined("new.event.ts", {}, "event"),
  defined("slow.ts", tool({ long: true }), "tool", "export default defineTool({\n  long: true,\n});\n"),
  defined("slower.ts", tool({ long: "tasks-only" })),
  defined("read.ts", tool({ attachments: true })),
  defined("board.ts", { tool: { options: {}, view: {} } }),
  defined("any.resource.ts", { resource: { pattern: {} } }, "resource"),
  defined("ask.prompt.ts", { prompt: {} }, "prompt"),
  defined("plain.ts", tool({})),
];

it("names each definition that would have no effect without a feature that was removed", () => {
  const fix = "add the feature's folder and line again, or remove what needs it";
  const needs = (what: string, feature: string) =>
    `it ${what}, and src/features/manifests.ts has no feature ${feature}`;
  expect(missingFeatures(CANDIDATES, [{ name: "files" }])).toEqual([
    { file: "tools/kit/new.event.ts", problem: needs("is an event", "outbox"), fix },
    { file: "tools/kit/slow.ts", problem: `${needs("is long", "tasks")}; the same goes for tools/kit/slower.ts`, fix },
    { file: "tools/kit/read.ts", problem: needs("takes attachments", "attachments"), fix },
    { file: "tools/kit/board.ts", problem: needs("has a view", "views"), fix },
    { file: "tools/kit/ask.prompt.ts", problem: needs("is a prompt", "prompts"), fix },
    { file: "tools/kit/any.resource.ts", problem: needs("is a resource", "resources"), fix },
    { file: "tools/kit/any.resource.ts", problem: needs("has operators in its URI", "uri-templates"), fix },
  ]);
});

it("finds nothing while all features are there", () => {
  expect(missingFeatures(CANDIDATES, MANIFESTS)).toEqual([]);
});
