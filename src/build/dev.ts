/**
 * What `wrangler dev` serves: copies of the tools, made when discovery reads them, and their catalogue. The
 * bundler takes in whatever stands in tools/: while one is broken, new code of others would run under what the old
 * catalogue demands.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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
  /** Serves on what was served last. @returns whether anything was, since this server started */
  goOn(): boolean;
}

interface Copies {
  readonly tools: string;
  readonly files: readonly OutputFile[];
}

/** Says, in the folder of copies, that a server starts: its first build takes it away. */
const STARTING = "starting";

/** Has the next build be the first of its server: what an earlier one left there is older than its tools. */
export function announceStart(out: string): void {
  const folder = join(dirname(out), "dev");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, STARTING), "");
}

/** @param out the catalogue that the Worker imports */
export function devCatalog(out: string): DevCatalog {
  const folder = join(dirname(out), "dev");
  const current = join(folder, "current.js");
  // There are two, in turn: what is served stays whole until its successor is.
  const next = join(folder, existsSync(current) && readFileSync(current, "utf8").includes('"./a/') ? "b" : "a");
  const copies = join(next, "tools");
  const isFirst = existsSync(join(folder, STARTING));
  rmSync(join(folder, STARTING), { force: true });
  const copyOf = (path: string, tools: string) => join(copies, relative(tools, path)).replace(/ts$/, "js");
  const placed = <Offer extends { readonly path: string }>(offers: readonly Offer[], tools: string): Offer[] =>
    offers.map((offer) => ({ ...offer, path: copyOf(offer.path, tools) }));
  // A test or a deployment may have written the catalogue since: theirs imports the tools as they are now.
  const serveCurrent = () =>
    writeAll(new Map([[out, '// @ts-nocheck\nexport { createWorker, default } from "./dev/current.js";\n']]), out);
  return {
    goOn() {
      if (isFirst || !existsSync(current)) return false;
      serveCurrent();
      return true;
    },
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
      serveCurrent();
    },
  };
}

/** Files that wrangler gives a meaning of its own. */
const ASSETS = [".txt", ".html", ".sql", ".bin", ".wasm"];

async function bundled(tools: string, outdir: string): Promise<readonly OutputFile[]> {
  const { tools: found, worker } = findToolFiles(tools);
  const entries = [...found, ...(worker ? [worker] : [])].map(({ path }) => path);
  // The bundler follows links: a toolkit may stand elsewhere.
  const folders = [...new Set([tools, ...entries.map(dirname)])].map((folder) => realpathSync(folder) + sep);
  // What is not in the folder stays where it is: a copy of the framework's would be another module.
  const ownFiles: Plugin = {
    name: "own-files",
    setup: (bundler) =>
      bundler.onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
        if (kind === "entry-point") return undefined;
        if (!path.startsWith(".")) return { path, external: true };
        const file = resolve(resolveDir, path);
        return folders.some((folder) => file.startsWith(folder)) ? undefined : { path: file, external: true };
      }),
  };
  const { outputFiles } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: entries.map((path) => ({ in: path, out: relative(tools, path).replace(/\.ts$/, "") })),
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
