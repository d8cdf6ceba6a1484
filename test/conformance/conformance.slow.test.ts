/** Runs the official suite: every scenario must pass, and RESULTS.md must be up to date. */

import { join } from "node:path";
import { expect, it } from "vitest";
import { execFileSync } from "../support/node/processes.ts";

it("passes the official conformance suite in both eras, as RESULTS.md says", { timeout: 300_000 }, () => {
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "run.ts"), "--check"], {
    encoding: "utf8",
  });
  expect(printed).toContain("| Required by 2025-11-25 | 30 | 30 | 30 |");
  expect(printed).toContain("| Required by 2026-07-28 | 37 | 37 | 37 |");
  // The suite itself skips the tenth.
  expect(printed).toContain("| Of the extension for tasks | 10 | 9 | 9 |");
  expect(printed).toContain("| Of the extension for skills | 3 | 3 | 3 |");
  expect(printed).toContain("| Run beside them | 6 | 6 | 6 |");
});
