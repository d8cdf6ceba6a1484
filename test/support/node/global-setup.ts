/**
 * Vitest's global setup of the projects in workerd: runs discovery before workerd starts and whenever a file is saved,
 * because vitest's plugin does not run wrangler's [build].
 */

import { globSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { TestProject } from "vitest/node";
import { execFileSync } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** The tools of each test project, and the catalog that its Worker imports. */
const CATALOGS: Readonly<Record<string, { readonly tools: string; readonly out: string }>> = {
  tools: { tools: "tools", out: "src/generated/catalog.ts" },
  worker: { tools: "test/fixtures/tools", out: "test/fixtures/generated/catalog.ts" },
};

export default function setup(project: TestProject): void {
  const catalog = CATALOGS[project.name];
  if (catalog === undefined) throw new Error(`no tools are known of the project ${project.name}`);
  const discover = () =>
    // Show its errors and warnings, but not its success message. The fixtures mean what it warns of.
    execFileSync(process.execPath, ["src/discovery/cli.ts", "--tools", catalog.tools, "--out", catalog.out], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", project.name === "tools" ? "inherit" : "pipe"],
    });
  // `npm test` has just run it (src/cli/test.ts), on tools/.
  if (project.name !== "tools" || process.env.TOOLS_DISCOVERED !== "true") discover();
  project.onTestsRerun(() => {
    try {
      discover();
    } catch (error) {
      // The tests run with the previous catalog.
      console.error((error as Error).message);
      return;
    }
    // Immediately: the watcher would notify vitest too late.
    for (const file of globSync(`${dirname(catalog.out)}/**/*`, { cwd: ROOT })) {
      project.vitest.invalidateFile(resolve(ROOT, file));
    }
  });
}
