/**
 * Writes tools that are loaded together as one module. Left to themselves, bundlers wrap every file that is imported
 * lazily in a function of its own, and make all of these at every start: of 1,000 tools they were a fifth of it.
 */
import { dirname, relative, resolve, sep } from "node:path";
import { build, type Plugin, transform } from "esbuild";

/** A folder that exists, unlike the one to be written to. What goes out does not depend on it. */
const HERE = import.meta.dirname;
/** What a relative import may name without its ending. */
const CODE = /\.([cm]?[jt]sx?)$/;

/**
 * Which of the files are imported by one of them, or by what they import. These stay modules of their own: a copy would
 * be evaluated beside the original.
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

/** Packages, and what is no code, import no tools. */
function ownCode({ path, kind }: { readonly path: string; readonly kind: string }) {
  const isOwn = kind === "entry-point" || (path.startsWith(".") && (CODE.test(path) || !/\.\w+$/.test(path)));
  return isOwn ? undefined : { path, external: true };
}

/**
 * @param apart files that are imported where they are
 * @param out   where the module will stand; its default export is a list of the files' default exports, in their order
 * @param head  lines that it begins with
 */
export async function bundleToolkit(
  files: readonly string[],
  apart: ReadonlySet<string>,
  out: string,
  head: string,
): Promise<string> {
  const imports = files.map((file, index) => `import t${index} from ${JSON.stringify(from(out, file))};`);
  const contents = `${imports.join("\n")}\nexport default [${files.map((_, index) => `t${index}`).join(", ")}];`;
  const joining: Plugin = {
    name: "joining",
    setup: (bundler) =>
      bundler.onResolve({ filter: /.*/ }, ({ path, resolveDir, importer }) => {
        if (!path.startsWith(".")) return { path, external: true };
        const isTool = importer === "<stdin>";
        const file = resolve(isTool ? dirname(out) : resolveDir, path);
        return isTool && !apart.has(file) ? { path: file } : { path: from(out, file), external: true };
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
  // Traces and breakpoints go on naming the tools' own files.
  const above = head.split("\n").length - 1 + (inside === undefined ? 0 : LINES_ABOVE);
  const { mappings, ...rest } = JSON.parse(map as string);
  const shifted = JSON.stringify({ ...rest, mappings: ";".repeat(above) + mappings });
  const inline = Buffer.from(shifted).toString("base64");
  return `${head}${inside ?? text}//# sourceMappingURL=data:application/json;base64,${inline}\n`;
}

/** How far {@link inFunction} moves what it encloses. */
const LINES_ABOVE = 2;
const IMPORT = /^import\s(?:[^"'`;]*?\sfrom\s)?"[^"\n]*"(?: with \{[^}\n]*\})?;$/gm;
const EXPORT = /export \{\n {2}stdin_default as default\n\};\n$/;

/**
 * A bundled module with its statements in a function, below the imports. Bundlers move what a lazily imported module
 * does into an arrow function, which takes an engine twice as long to skip as a function with a name; those they leave
 * alone.
 *
 * @param imports how many there are: what only looks like one, in a text of some tool, must not be moved
 * @returns undefined where it cannot be done, such as for a module that awaits something
 */
async function inFunction(text: string, imports: number): Promise<string | undefined> {
  const found = text.match(IMPORT) ?? [];
  if (found.length !== imports || !EXPORT.test(text)) return undefined;
  // As many lines as before: the source map goes on to fit.
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

/** A path as a module imports it. */
export function from(module: string, path: string): string {
  const way = relative(dirname(module), path).split(sep).join("/");
  return way.startsWith(".") ? way : `./${way}`;
}
