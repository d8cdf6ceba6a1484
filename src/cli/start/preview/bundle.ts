/** Bundles the script and the style of the preview page, when it is opened. */
import { join } from "node:path";
import { build } from "esbuild";
import { BROWSERS } from "../../../build/lib/inline.ts";

export const PAGE = join(import.meta.dirname, "page");

interface Bundle {
  readonly script: string;
  readonly style: string;
}

let bundled: Promise<Bundle> | undefined;

/** Makes it once: the page changes only with a new version of Trivet. */
export function bundlePage(): Promise<Bundle> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<Bundle> {
  const { outputFiles } = await build({
    entryPoints: [
      { in: join(PAGE, "main.ts"), out: "page" },
      { in: join(PAGE, "page.css"), out: "page" },
    ],
    outdir: PAGE,
    bundle: true,
    write: false,
    format: "esm",
    target: BROWSERS,
    charset: "utf8",
    logLevel: "silent",
  });
  const outputOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  return { script: outputOf(".js"), style: outputOf(".css") };
}
