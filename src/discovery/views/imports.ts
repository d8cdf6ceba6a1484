/**
 * Limits what a view may import. Everyone who gets the view can read all that is bundled into it, so it may import only
 * files of `tools/` and of packages. It runs in a browser, so it may not import what runs on the server.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import type { Message, PartialMessage, Plugin } from "esbuild";
import { closest } from "../lib/spelling.ts";
import { explain } from "../read/bundle.ts";
import type { ViewFile } from "../read/paths.ts";
import type { Complaint } from "../read/problem.ts";
import { isElsewhere } from "./html.ts";
import { notAllowed } from "./origins.ts";

/** The module that views import as `#view`. */
export const HELPER = join(import.meta.dirname, "../../features/views/browser/index.ts");
/** Its exports that are not types. */
const HELPS = ["openView", "CallFailed", "HostError"];

interface Importing {
  /** Folder that names in messages are relative to. */
  readonly base: string;
  readonly view: ViewFile;
  readonly resourceDomains: readonly string[];
}

/**
 * Refuses what a view may not import. Types may come from any code: esbuild drops their imports before this sees them.
 */
export function limitImports(importing: Importing): Plugin {
  return {
    name: "limit-imports",
    setup(bundler) {
      const { base, view, resourceDomains } = importing;
      const label = (path: string) => relative(realpathSync(base), path).split(sep).join("/");
      const isPackage = (path: string) => label(path).split("/").includes("node_modules");
      /** The file that first imports a file, and the path that it writes. */
      const importers = new Map<string, { readonly file: string; readonly path: string }>();

      bundler.onResolve({ filter: /^\.\.?\// }, async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (pluginData === importers) return undefined;
        const resolved = await bundler.resolve(path, { importer, resolveDir, kind, pluginData: importers });
        if (!importers.has(resolved.path)) importers.set(resolved.path, { file: importer, path });
        return undefined;
      });

      bundler.onResolve({ filter: /^(#tool|#test|cloudflare:.*)$/ }, ({ path, importer }) => {
        const between = new Set<string>();
        let first = importer;
        let named = path;
        for (let by = importers.get(first); by && !between.has(first); by = importers.get(first)) {
          between.add(first);
          first = by.file;
          named = by.path;
        }
        const names = [...between].reverse().map((file) => `imports ${label(file)}`);
        const text = `it ${[...names, `loads ${path}`].join(", which ")}; that runs on the server, and a view in a browser`;
        const fix = 'write "import type" for types, or import from a helper that does not load it';
        return { errors: [{ text, detail: { fix }, location: { file: label(first), line: lineOf(first, named) } }] };
      });

      // Without a comment that names the library, JSX is React's, which may be installed only because a package needs
      // it.
      bundler.onResolve({ filter: /^react\/jsx-(dev-)?runtime$/ }, ({ importer }) => {
        if (isPackage(importer) || /@jsxImportSource\s/.test(readFileSync(importer, "utf8"))) return undefined;
        const fix = "begin it with /** @jsxImportSource preact */, and run npm install preact";
        const location = { file: label(importer), line: 1 };
        return { errors: [{ text: "it has JSX, and does not name the library for it", detail: { fix }, location }] };
      });

      // Imports that stay on another server.
      bundler.onResolve({ filter: /.*/ }, ({ path, importer }) => {
        if (!isElsewhere(path)) return undefined;
        const wrong = isPackage(importer) ? undefined : notAllowed(path, resourceDomains);
        return wrong ? { errors: [messageOf(wrong)] } : { path, external: true };
      });

      const folder = dirname(view.path);
      const roots = [dirname(folder), folder].map((path) => realpathSync(path));
      // This is checked here and not when a name is resolved, because this sees every file, with its real path.
      bundler.onLoad({ filter: /.*/, namespace: "file" }, ({ path }) => {
        if (!existsSync(path)) return undefined;
        const real = realpathSync(path);
        const root = roots.find((one) => isWithin(one, real));
        const seen = root === undefined ? basename(real) : relative(root, real);
        const isHidden = seen.split(sep).some((name) => name.startsWith("."));
        const isMeant = root !== undefined || isPackage(real) || isWithin(dirname(HELPER), real);
        if (isMeant && !isHidden) return undefined;
        const why = isMeant ? "whose name begins with a dot" : "which is neither in tools/ nor in a package";
        const problem = `it loads ${label(real)}, ${why}: everyone can read what is in a view`;
        const fix = isMeant
          ? "rename the file if everyone may read it, or remove the import"
          : "copy what everyone may read of it to tools/, or remove the import";
        return { errors: [messageOf({ problem, fix })] };
      });
    },
  };
}

/** A message without a place: esbuild adds that of the import. */
function messageOf({ problem, fix }: Complaint): PartialMessage {
  return { text: problem, detail: { fix } };
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

/** The line of an import, the first being 1; 1 as well if it cannot be found. */
function lineOf(file: string, imported: string): number {
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => [`"${imported}"`, `'${imported}'`].some((text) => line.includes(text)));
  return Math.max(at, 0) + 1;
}

/** What is wrong with a view that cannot be bundled, and what to do about it. */
export function complaintOf(message: Message): Complaint {
  const { text, location, detail } = message;
  const line = location?.line;
  if (typeof detail?.fix === "string") return { problem: text, fix: detail.fix, line };
  const [, from] = /^Could not resolve "(.*)"$/.exec(text) ?? [];
  const [, exporter = "", name = ""] = /^No matching export in "(.*)" for import "(.*)"$/.exec(text) ?? [];
  if (from !== undefined && isBuiltin(from)) {
    const problem = `it imports "${from}", which is Node's: a view runs in a browser`;
    return { problem, fix: "do it in the tool", line };
  }
  if (from?.startsWith("#")) {
    const fix = closest(from, ["#view"]) ? 'write "#view"' : 'write "#view", or the path of a file in tools/';
    return { problem: `it imports "${from}", which is not there`, fix, line };
  }
  if (from !== undefined && /^\.\.?\//.test(from)) {
    const file = join(dirname(location?.file ?? ""), from).replaceAll(sep, "/");
    return {
      problem: `it loads "${from}", and there is no such file`,
      fix: `write ${file}, or correct the path`,
      line,
    };
  }
  if (exporter.endsWith("src/features/views/browser/index.ts")) {
    const meant = closest(name, HELPS);
    const fix = meant ? `write ${meant}` : `write one of ${HELPS.join(", ")}`;
    return { problem: `#view has no "${name}"`, fix: `${fix}; the types are in docs/views.md`, line };
  }
  if (exporter !== "") {
    return { problem: `${exporter} does not export "${name}"`, fix: "export it there, or correct the name", line };
  }
  const { text: problem, fix = "correct what the message names" } = explain({ ...message, location: null });
  return { problem, fix, line };
}
