/** Ends a test run with a line that says how many attacks test/access tried: what passing tests print is not shown. */
import { globSync } from "node:fs";
import { resolve } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const FILES = globSync("*.test.ts", { cwd: resolve(import.meta.dirname, "../../access") });

export function countAttacks(): Reporter {
  return {
    onTestRunEnd(modules) {
      const access = modules.filter(({ moduleId }) => /\/test\/access\/[^/]+\.test\.ts$/.test(moduleId));
      const counts = access.flatMap(attacksOf);
      if (counts.length === 0) return;
      const attacks = counts.reduce((all, count) => all + count, 0);
      console.log(
        `test/access: ${attacks} attacks were tried in ${counts.length} tests: requests that had to be refused`,
      );
      // Where all of it ran, nothing counts any more, or nothing attacks.
      if (attacks === 0 && access.length === FILES.length) process.exitCode = 1;
    },
  };
}

/** Of each test that ran. */
function attacksOf(module: TestModule): number[] {
  const ran = [...module.children.allTests()].filter((test) => test.result().state !== "skipped");
  return ran.map((test) => test.meta().attacks ?? 0);
}
