/** Has discovery write the catalogue before workerd starts, and again when a file was saved: vitest's plugin does not run wrangler's [build]. */
import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { TestProject } from "vitest/node";

const ROOT = resolve(import.meta.dirname, "../../..");

/** The tools of each project, and the catalogue that its Worker imports. */
const CATALOGS: Readonly<Record<string, { readonly tools: string; readonly out: string }>> = {
  tools: { tools: "tools", out: "src/generated/catalog.ts" },
  worker: { tools: "test/fixtures/tools", out: "test/fixtures/generated/catalog.ts" },
};

export default function setup(project: TestProject): void {
  const catalog = CATALOGS[project.name];
  if (catalog === undefined) throw new Error(`no tools are known of the project ${project.name}`);
  const discover = () =>
    // Its errors are shown; that it found something is not worth a line.
    execFileSync(process.execPath, ["src/build/cli.ts", "--tools", catalog.tools, "--out", catalog.out], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
  discover();
  project.onTestsRerun(() => {
    try {
      discover();
    } catch {
      // It has said what is wrong; the tests run with the tools as they were.
      return;
    }
    // At once: the watcher would tell vitest some time later.
    for (const file of globSync(`${dirname(catalog.out)}/**/*`, { cwd: ROOT })) {
      project.vitest.invalidateFile(resolve(ROOT, file));
    }
  });
}
