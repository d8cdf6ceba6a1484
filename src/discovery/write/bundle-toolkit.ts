/**
 * Bundles tools that are loaded together into one module. Otherwise, bundlers wrap every lazily imported file in its
 * own function and create all of these at every start; with 1,000 tools, that was a fifth of the start-up time.
 */
import { dirname, relative, resolve, sep } from "node:path";
import { build, type Plugin, transform } from "esbuild";

/** esbuild needs a folder that exists, which the output folder may not. The output does not depend on it. */
const HERE = import.meta.dirname;
/** Extensions of code. A relative import may leave them out. */
const CODE = /\.([cm]?[jt]sx?)$/;

/**
 * Finds the files that others of them import, directly or indirectly. These must stay separate modules: a copy inside a
 * bundle would be evaluated in addition to the original.
 */
export async function importedAmong(files: readonly string[]): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: HERE,
    entryPoints: [...files],
    outdir: HERE,
    bundle: true,
    write: false,
    format: "esm",
    splitting: true,
    metafile: true,
    plugins: [{ name: "own-code", setup: (bundler) => bundler.onResolve({ filter: /.*/ }, ownCode) }],
    logLevel: "silent",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return new Set(imports.map(({ path }) => resolve(HERE, path)));
}

/** Ignores packages and files that are not code, because they do not import tools. */
function ownCode({ path, kind }: { readonly path: string; readonly kind: string }) {
  const isOwn = kind === "entry-point" || (path.startsWith(".") && (CODE.test(path) || !/\.\w+$/.test(path)));
  return isOwn ? undefined : { path, external: true };
}

/**
 * @param apart files to import instead of bundling them
 * @param out   path of the module
 * @param head  lines that the module begins with
 * @returns the module's text; its default export is a list of the files' default exports, in order
 */
export async function bundleToolkit(
  files: readonly string[],
  apart: ReadonlySet<string>,
  out: string,
  head: string,
): Promise<string> {
  const imports = files.map((file, index) => `import t${index} from ${JSON.stringify(specifierOf(out, file))};`);
  const contents = `${imports.join("\n")}\nexport default [${files.map((_, index) => `t${index}`).join(", ")}];`;
  const joining: Plugin = {
    name: "joining",
    setup: (bundler) =>
      bundler.onResolve({ filter: /.*/ }, ({ path, resolveDir, importer }) => {
        if (!path.startsWith(".")) return { path, external: true };
        const isTool = importer === "<stdin>";
        const file = resolve(isTool ? dirname(out) : resolveDir, path);
        return isTool && !apart.has(file) ? { path: file } : { path: specifierOf(out, file), external: true };
      }),
  };
  const { outputFiles, metafile } = await build({
    absWorkingDir: HERE,
    stdin: { contents, resolveDir: HERE },
    outfile: out,
    bundle: true,
    write: false,
    format: "esm",
    target: "esnext",
    sourcemap: "external",
    metafile: true,
    plugins: [joining],
    logLevel: "silent",
  });
  const [map, text] = ["map", "js"].map((end) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "{}");
  const outer = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const inside = await inFunction(text as string, outer.filter(({ kind }) => kind === "import-statement").length);
  // Shift the source map, so that stack traces and breakpoints refer to the original files.
  const above = head.split("\n").length - 1 + (inside === undefined ? 0 : LINES_ABOVE);
  const { mappings, ...rest } = JSON.parse(map as string);
  const shifted = JSON.stringify({ ...rest, mappings: ";".repeat(above) + mappings });
  const inline = Buffer.from(shifted).toString("base64");
  return `${head}${inside ?? text}//# sourceMappingURL=data:application/json;base64,${inline}\n`;
}

/** By how many lines {@link inFunction} moves the code. */
const LINES_ABOVE = 2;
const IMPORT = /^import\s(?:[^"'`;]*?\sfrom\s)?"[^"\n]*"(?: with \{[^}\n]*\})?;$/gm;
const EXPORT = /export \{\n {2}stdin_default as default\n\};\n$/;

/**
 * Moves the statements of a bundled module into a named function, below the imports. Otherwise, wrangler's bundler
 * moves them into an arrow function, which takes an engine twice as long to skip as a named function.
 *
 * @param imports number of imports. If more lines look like imports, some are part of a tool's string, and none is
 *   moved
 * @returns undefined if it is not possible, for example because the module uses top-level await
 */
async function inFunction(text: string, imports: number): Promise<string | undefined> {
  const found = text.match(IMPORT) ?? [];
  if (found.length !== imports || !EXPORT.test(text)) return undefined;
  // Keep the number of lines, so that the source map still fits.
  const body = text
    .replace(IMPORT, (statement) => statement.replace(/[^\n]/g, ""))
    .replace(EXPORT, "return stdin_default;");
  const above = found.map((statement) => statement.replaceAll("\n", " ")).join(" ");
  const whole = `${above}\nfunction all() {\n${body}\n}\nexport default all();\n`;
  const isValid = await transform(whole).then(
    () => true,
    () => false,
  );
  return isValid ? whole : undefined;
}

/** The specifier with which a module imports a file: a relative path. */
export function specifierOf(module: string, path: string): string {
  const specifier = relative(dirname(module), path).split(sep).join("/");
  return specifier.startsWith(".") ? specifier : `./${specifier}`;
}
