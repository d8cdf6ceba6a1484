/**
 * `npm run size`: prints the size of what `wrangler deploy` would upload, and whether the framework's part is in
 * budget.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { manyTools } from "./bench/forks.ts";
import { FIGURES, withRoom } from "./figures.ts";
import { bundle, isQuick } from "./support/node/bundle.ts";
import { makeFork } from "./support/node/fork.ts";
import { execFileSync } from "./support/node/processes.ts";

/** Returns what `wrangler deploy` would upload: KiB after gzip as wrangler measures it, the code, and its modules. */
function upload(root: string): { readonly size: number; readonly code: string; readonly metafile: Metafile } {
  const outdir = mkdtempSync(join(tmpdir(), "trivet-size-"));
  const metafile = join(outdir, "metafile.json");
  try {
    const printed = execFileSync(
      "npx",
      ["wrangler", "deploy", "--dry-run", "--outdir", outdir, `--metafile=${metafile}`],
      {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const [, kib] = /gzip: ([\d.]+) KiB/.exec(printed) ?? [];
    if (kib === undefined) throw new Error(`wrangler printed no size:\n${printed}`);
    const code = readFileSync(join(outdir, "index.js"), "utf8");
    return { size: Number(kib), code, metafile: JSON.parse(readFileSync(metafile, "utf8")) };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The same for a fork with one small tool. In the fast tier the bundle is this process's, which is of the same size. */
export async function oneTool(): Promise<ReturnType<typeof upload>> {
  const fork = makeFork(manyTools(1), { copied: !isQuick });
  try {
    if (!isQuick) return upload(fork.root);
    const metafile = await bundle(fork.root, join(fork.root, "dist"));
    const code = fork.read("dist/index.js");
    return { size: gzipSync(code).length / 1024, code, metafile };
  } finally {
    fork.remove();
  }
}

if (import.meta.main) {
  const { size } = await oneTool();
  console.log(
    `${upload(resolve(import.meta.dirname, "..")).size} KiB gzip, with all of tools/ and as wrangler.toml says`,
  );
  const most = withRoom(FIGURES.oneToolKiB);
  console.log(
    `${size} KiB gzip with one small tool: ${FIGURES.oneToolKiB} when last measured, ${most.toFixed(1)} at most`,
  );
  process.exitCode = size < most ? 0 : 1;
}
