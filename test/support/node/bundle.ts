/** Bundles a fork in this process, with the options of wrangler's bundle for a deployment, in a tenth of the time. */

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { build as esbuild, type Loader, type Metafile, type Plugin } from "esbuild";
import { unstable_readConfig } from "wrangler";
import { settingsPath } from "../../../src/build/settings/find.ts";
import { runDiscovery } from "./discovery.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Wrangler uploads these as modules of their own. Here they are part of the code, which imports the same text. */
const TEXTS: Readonly<Record<string, Loader>> = { ".md": "text", ".txt": "text", ".html": "text", ".sql": "text" };

/**
 * Whether builds are bundled in this process: in the fast tier. In the slow tier and in scripts wrangler bundles, which
 * takes five seconds instead of half a second.
 */
export const isQuick = process.env.QUICK_BUILDS === "true";

/**
 * Discovers the fork's tools, and writes `index.js` to a folder.
 *
 * @returns which files it is made of, by their paths in the fork
 * @throws {Error} with what discovery prints, or esbuild's errors
 */
export async function bundle(root: string, outdir: string): Promise<Metafile> {
  const { code, stderr } = await runDiscovery(join(root, "tools"), join(root, "src/generated/catalog.ts"));
  if (code !== 0) throw new Error(stderr);
  const { main = "src/index.ts", alias, minify } = unstable_readConfig({ config: settingsPath(root) });
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await esbuild({
    absWorkingDir: root,
    // Otherwise modules behind the links of a fork's `src` (makeFork) would be this project's.
    preserveSymlinks: true,
    entryPoints: [resolve(root, main)],
    outfile: join(outdir, "index.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    supported: { "import-source": true, using: true },
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx", ...TEXTS },
    define: { "process.env.NODE_ENV": '"production"', "navigator.userAgent": '"Cloudflare-Workers"' },
    alias: Object.fromEntries(Object.entries<string>(alias ?? {}).map(([from, to]) => [from, resolve(root, to)])),
    minify: minify ?? false,
    metafile: true,
    plugins: [ownSource(root)],
    logLevel: "silent",
  });
  return metafile;
}

/** Discovery runs from this project, so what it writes for a fork imports this project's `src`. Takes the fork's instead. */
function ownSource(root: string): Plugin {
  return {
    name: "own-source",
    setup(bundler) {
      bundler.onResolve({ filter: /^\.\..*\/src\// }, ({ path, resolveDir }) => {
        const [, file] = resolve(resolveDir, path).split(join(ROOT, "src/"));
        return file === undefined ? undefined : { path: join(root, "src", file) };
      });
    },
  };
}
