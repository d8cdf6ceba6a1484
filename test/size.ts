/** `npm run size`: what `wrangler deploy` would upload, and whether it is within its budget. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** KiB after gzip, minified, with the tools that ship. The README repeats the figure, a test holds both together. */
export const BUDGET_KIB = 57;

/** A fork may have it; its budget is that of those who do not. */
export const WITHOUT_SIGN_IN = "#sign-in:./src/sign-in/off.ts";

/** @returns KiB after gzip, as wrangler measures it */
export function uploadSize(root: string): number {
  const outdir = mkdtempSync(join(tmpdir(), "trivet-size-"));
  try {
    const printed = execFileSync(
      "npx",
      ["wrangler", "deploy", "--dry-run", "--outdir", outdir, "--alias", WITHOUT_SIGN_IN],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const [, kib] = /gzip: ([\d.]+) KiB/.exec(printed) ?? [];
    if (kib === undefined) throw new Error(`wrangler printed no size:\n${printed}`);
    return Number(kib);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const size = uploadSize(resolve(import.meta.dirname, ".."));
  console.log(`${size} KiB gzip of ${BUDGET_KIB} KiB`);
  process.exitCode = size < BUDGET_KIB ? 0 : 1;
}
