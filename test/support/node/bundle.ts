/** Bundles a fork in this process, with the options of wrangler's bundle for a deployment, in a tenth of the time. */

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { build as esbuild, type Metafile, type Plugin } from "esbuild";
import { unstable_readConfig } from "wrangler";
import { bundlingOf, wranglerOptions, wranglerPlugins } from "../../../src/discovery/lib/bundling.ts";
import { settingsPath } from "../../../src/discovery/settings/find-settings-file.ts";
import { runDiscovery } from "./discovery.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/**
 * Whether builds are bundled in this process: in the fast tier. In the slow tier and in scripts wrangler bundles, which
 * takes five seconds instead of half a second.
 */
export const isQuick = process.env.QUICK_BUILDS === "true";

/**
 * Discovers the fork's tools, and writes `index.js` to a folder.
 *
 * @param env for discovery: as of `wrangler dev`, for example
 * @returns which files it is made of, by their paths in the fork
 * @throws {Error} with what discovery prints, or esbuild's errors
 */
export async function bundle(root: string, outdir: string, env: Record<string, string> = {}): Promise<Metafile> {
  const { code, stderr } = await runDiscovery(join(root, "tools"), join(root, "src/generated/catalog.ts"), [], env);
  if (code !== 0) throw new Error(stderr);
  const config = unstable_readConfig({ config: settingsPath(root) });
  const bundling = bundlingOf(root, [config]);
  const options = wranglerOptions(bundling);
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await esbuild({
    ...options,
    absWorkingDir: root,
    // Otherwise modules behind the links of a fork's `src` (makeFork) would be this project's.
    preserveSymlinks: true,
    entryPoints: [resolve(root, config.main ?? "src/index.ts")],
    outfile: join(outdir, "index.js"),
    external: ["cloudflare:*"],
    define: { "process.env.NODE_ENV": '"production"', ...options.define },
    minify: config.minify ?? false,
    metafile: true,
    // Wrangler uploads texts as modules of their own. Here they are part of the code, which imports the same.
    plugins: [ownSource(root), ...wranglerPlugins(bundling)],
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
