/**
 * `npm run size`: prints the size of what `wrangler deploy` would upload, and whether the framework's part is in
 * budget.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { manyTools } from "./bench/forks.ts";
import { FIGURES, withRoom } from "./figures.ts";
import { makeFork } from "./support/node/fork.ts";

/** Returns KiB after gzip, as wrangler measures it. */
export function uploadSize(root: string): number {
  const outdir = mkdtempSync(join(tmpdir(), "trivet-size-"));
  try {
    const printed = execFileSync("npx", ["wrangler", "deploy", "--dry-run", "--outdir", outdir], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [, kib] = /gzip: ([\d.]+) KiB/.exec(printed) ?? [];
    if (kib === undefined) throw new Error(`wrangler printed no size:\n${printed}`);
    return Number(kib);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** Returns KiB after gzip of a fork with one small tool. */
export function coreSize(): number {
  const fork = makeFork(manyTools(1));
  try {
    return uploadSize(fork.root);
  } finally {
    fork.remove();
  }
}

if (import.meta.main) {
  const core = coreSize();
  console.log(
    `${uploadSize(resolve(import.meta.dirname, ".."))} KiB gzip, with all of tools/ and as wrangler.toml says`,
  );
  const most = withRoom(FIGURES.oneToolKiB);
  console.log(
    `${core} KiB gzip with one small tool: ${FIGURES.oneToolKiB} when last measured, ${most.toFixed(1)} at most`,
  );
  process.exitCode = core < most ? 0 : 1;
}
