/** Ends a test run with a line that says how many attacks it tried: what passing tests print is not shown. */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const ACCESS = resolve(import.meta.dirname, "../../../access");

export function countAttacks(): Reporter {
  return {
    onTestRunEnd(modules) {
      const counts = modules.flatMap(attacksOf);
      if (counts.length === 0) return;
      const attacks = counts.reduce((all, count) => all + count, 0);
      console.log(`${attacks} attacks were tried in ${counts.length} tests: requests that had to be refused`);
      // Where all of test/access ran, nothing counts any more, or nothing attacks.
      const ran = new Set(modules.map(({ moduleId }) => moduleId));
      const all = globSync("*.node.test.ts", { cwd: ACCESS }).every((file) => ran.has(resolve(ACCESS, file)));
      if (attacks === 0 && all) process.exitCode = 1;
    },
  };
}

/** Of each test that ran in a file that counts. */
function attacksOf(module: TestModule): number[] {
  const ran = [...module.children.allTests()].filter((test) => test.result().state !== "skipped");
  return ran.flatMap((test) => test.meta().attacks ?? []);
}
