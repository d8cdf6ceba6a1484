/**
 * What `wrangler dev` serves: copies of the tools, made when discovery reads them, and their catalogue. The
 * bundler takes in whatever stands in tools/: while one is broken, new code of others would run under what the old
 * catalogue demands.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build, type Loader, type OutputFile, type Plugin } from "esbuild";
import type { Discovery } from "./read/discovery.ts";
import { findToolFiles } from "./read/paths.ts";
import { render, writeAll } from "./write/write.ts";

export interface DevCatalog {
  /** Copies the tools as they are now, for {@link serve}. Fails where one cannot be bundled. */
  copy(tools: string): Promise<Copies>;
  /** Serves copies from now on, under the catalogue of what discovery found in them. */
  serve(copies: Copies, discovery: Discovery): Promise<void>;
  /** Serves on what was served last. @returns whether anything was */
  goOn(): boolean;
}

interface Copies {
  readonly tools: string;
  readonly files: readonly OutputFile[];
}

/** @param out the catalogue that the Worker imports */
export function devCatalog(out: string): DevCatalog {
  const folder = join(dirname(out), "dev");
  const current = join(folder, "current.js");
  // There are two, in turn: what is served stays whole until its successor is.
  const next = join(folder, existsSync(current) && readFileSync(current, "utf8").includes('"./a/') ? "b" : "a");
  const copies = join(next, "tools");
  const copyOf = (path: string, tools: string) => join(copies, relative(tools, path)).replace(/ts$/, "js");
  const placed = <Offer extends { readonly path: string }>(offers: readonly Offer[], tools: string): Offer[] =>
    offers.map((offer) => ({ ...offer, path: copyOf(offer.path, tools) }));
  const goOn = () => {
    if (!existsSync(current)) return false;
    // A test or a deployment may have written the catalogue since: theirs imports the tools as they are now.
    writeAll(new Map([[out, '// @ts-nocheck\nexport { createWorker, default } from "./dev/current.js";\n']]), out);
    return true;
  };
  return {
    goOn,
    copy: async (tools) => ({ tools, files: existsSync(tools) ? await bundled(tools, copies) : [] }),
    async serve({ tools, files }, { tools: found, prompts, resources, worker }) {
      rmSync(next, { recursive: true, force: true });
      for (const { path, contents } of files) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, contents);
      }
      const catalog = join(next, "catalog.js");
      const discovery = {
        tools: placed(found, tools),
        prompts: placed(prompts, tools),
        resources: placed(resources, tools),
        worker: worker && copyOf(worker, tools),
      };
      writeAll(await render(discovery, catalog), catalog);
      writeFileSync(current, `export { createWorker, default } from "./${relative(folder, next)}/catalog.js";\n`);
      goOn();
    },
  };
}

/** Files that wrangler gives a meaning of its own. */
const ASSETS = [".txt", ".html", ".sql", ".bin", ".wasm"];

async function bundled(tools: string, outdir: string): Promise<readonly OutputFile[]> {
  // What is not in the folder stays where it is: a copy of the framework's would be another module.
  const ownFiles: Plugin = {
    name: "own-files",
    setup: (bundler) =>
      bundler.onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
        if (kind === "entry-point") return undefined;
        if (!path.startsWith(".")) return { path, external: true };
        const file = resolve(resolveDir, path);
        return file.startsWith(tools + sep) ? undefined : { path: file, external: true };
      }),
  };
  const { tools: found, worker } = findToolFiles(tools);
  const { outputFiles } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: [...found, ...(worker ? [worker] : [])].map(({ path }) => path),
    outbase: tools,
    outdir,
    bundle: true,
    write: false,
    splitting: true,
    format: "esm",
    target: "esnext",
    // Traces and breakpoints go on naming the tools' own files.
    sourcemap: "inline",
    loader: Object.fromEntries(ASSETS.map((end): [string, Loader] => [end, "copy"])),
    plugins: [ownFiles],
    logLevel: "silent",
  });
  return outputFiles;
}
