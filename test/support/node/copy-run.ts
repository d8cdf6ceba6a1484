/**
 * `node copy-run.ts FILES --project=NAME…`, in a copy of the project (copy.ts): runs test files of these projects, and
 * writes the results to ran.json.
 */
import { writeFileSync } from "node:fs";
import { startVitest, type TestModule } from "vitest/node";
import type { Ran } from "./copy.ts";

const [projects, files] = [true, false].map((isProject) =>
  process.argv.slice(2).filter((word) => word.startsWith("--project=") === isProject),
) as [string[], string[]];
const vitest = await startVitest("test", files, {
  config: "test/vitest.config.ts",
  project: projects.map((word) => word.replace("--project=", "")),
  watch: false,
  reporters: ["dot"],
});
const modules = vitest.state.getTestModules();
writeFileSync("ran.json", JSON.stringify(resultOf(modules)));
await vitest.close();

function resultOf(modules: readonly TestModule[]): Ran {
  const missing = files.filter((file) => !modules.some(({ moduleId }) => moduleId.endsWith(file)));
  const broken = modules.flatMap((module) => module.errors().map(({ message }) => `${module.moduleId}: ${message}`));
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const failed = tests.flatMap((test) => {
    const { errors = [] } = test.result();
    return test.ok() ? [] : `${test.fullName}: ${errors.map(({ message }) => message).join("; ")}`;
  });
  return { tests: tests.length, failed: [...missing.map((file) => `${file} did not run`), ...broken, ...failed] };
}
