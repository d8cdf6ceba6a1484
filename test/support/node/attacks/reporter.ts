/** Prints how many attacks the run tried as its last line, because output of passing tests is not shown. */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const ACCESS = resolve(import.meta.dirname, "../../../access");

export function countAttacks(): Reporter {
  return {
    onTestRunEnd(modules) {
      const counts = modules.flatMap(attacksOf);
      // If all of test/access ran and the count is 0, the counting is broken.
      const attacks = counts.reduce((all, count) => all + count, 0);
      if (counts.length > 0)
        console.log(`${attacks} attacks were tried in ${counts.length} tests: requests that had to be refused`);
      const ran = new Set(modules.map(({ moduleId }) => moduleId));
      const all = globSync("*.node.test.ts", { cwd: ACCESS }).every((file) => ran.has(resolve(ACCESS, file)));
      if (attacks === 0 && all) process.exitCode = 1;
    },
  };
}

/** The counts of all tests in the file, if it counts attacks. */
function attacksOf(module: TestModule): number[] {
  const ran = [...module.children.allTests()].filter((test) => test.result().state !== "skipped");
  return ran.flatMap((test) => test.meta().attacks ?? []);
}
