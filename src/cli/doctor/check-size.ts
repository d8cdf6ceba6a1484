/** Checks the size of what a deployment uploads. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { configArguments, type Where } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { Mistake } from "../lib/mistake.ts";
import { wrangler } from "../lib/wrangler.ts";
import { error, type Finding, warning } from "./finding.ts";

/** In KiB. Cloudflare: Workers, Limits, "Worker size": before compression, on all plans. */
const MAX_KIB = 64 * 1_024;
/** In KiB after gzip: the limit of the free plan until 2026. Much code also takes long to start (limit: 1 s). */
const LARGE_GZIP_KIB = 3 * 1_024;

/** Lets wrangler build without deploying. @returns the size in words; undefined if the build fails */
export async function checkSize(where: Where, io: Io): Promise<{ findings: Finding[]; size: string | undefined }> {
  const outdir = mkdtempSync(join(tmpdir(), "trivet-size-"));
  try {
    const args = ["deploy", "--dry-run", `--outdir=${outdir}`, ...configArguments(where)];
    const printed = await wrangler(io, dirname(where.config), args);
    const [size, raw, gzip] = /([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(printed) ?? [];
    if (size === undefined) throw new Mistake(`wrangler printed no size: ${printed}`);
    return { findings: [...tooLarge(Number(raw), Number(gzip))], size: `${raw} KiB, ${gzip} KiB after gzip` };
  } catch (reason) {
    if (!(reason instanceof Mistake)) throw reason;
    const fix = "correct what the message names; npx wrangler deploy --dry-run shows it again";
    return { findings: [error({ file: "the build", problem: reason.message, fix })], size: undefined };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** @param kib before compression */
export function* tooLarge(kib: number, gzipKib: number): Generator<Finding> {
  const fix =
    "find what is large with npx wrangler deploy --dry-run --outdir dist --metafile, and leave it out or fetch it";
  if (kib > MAX_KIB) {
    yield error({ file: "the upload", problem: `it is ${kib} KiB, and Cloudflare accepts ${MAX_KIB}`, fix });
  } else if (gzipKib > LARGE_GZIP_KIB) {
    const problem = `it is ${gzipKib} KiB after gzip: it may take longer to start than Cloudflare allows (1 s)`;
    yield warning({ file: "the upload", problem, fix });
  }
}
