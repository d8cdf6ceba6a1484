/** Makes one HTML text of a view, with its scripts, styles and pictures inside: a host gets it as a single resource. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BuildFailure, type BuildOptions, build, type Loader, type Plugin } from "esbuild";
import { BROWSERS, scriptText, styleText } from "../lib/inline.ts";
import { explain } from "../read/bundle.ts";
import type { ViewFile } from "../read/paths.ts";
import { type Problem, problemIn } from "../read/problem.ts";
import { codeIn, isElsewhere, type Part, withParts } from "./html.ts";

const HELPER = join(import.meta.dirname, "../../view/index.ts");

const LOADERS: Readonly<Record<string, Loader>> = Object.fromEntries([
  ...[".html", ".md", ".txt"].map((ending) => [ending, "text"] as const),
  ...[".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".woff2"].map((ending) => [ending, "dataurl"] as const),
]);

interface Context {
  /** Folder that names in messages are relative to. */
  readonly base: string;
  /** Whether it is for `npm start`: as its author wrote it, with source maps for the browser's tools. */
  readonly isDev: boolean;
  /** What `#view` knows of the tools, and a title for a view without HTML of its own. */
  readonly wrapped: readonly string[];
  readonly title: string;
}

/** @returns the page, or what is wrong with it */
export async function bundleView(
  view: ViewFile,
  context: Context,
): Promise<{ html: string } | { problems: Problem[] }> {
  try {
    if (!view.path.endsWith(".html"))
      return { html: page(context.title, await bundle({ file: view.path }, view, context)) };
    const source = readFileSync(view.path, "utf8");
    const { parts, complaints } = codeIn(source);
    if (complaints.length > 0) return { problems: complaints.map((complaint) => problemIn(view.file, complaint)) };
    const inlined = await Promise.all(parts.map((part) => inline(part, view, context)));
    return { html: withParts(source, parts, inlined) };
  } catch (failure) {
    const { errors } = failure as BuildFailure;
    if (!Array.isArray(errors)) throw failure;
    return {
      problems: errors.map((message) => {
        const { text, fix = "correct what the message names" } = explain({ ...message, location: null });
        return problemIn(message.location?.file ?? view.file, { problem: text, fix, line: message.location?.line });
      }),
    };
  }
}

interface Code {
  readonly js: string;
  readonly css: string;
}

function page(title: string, code: Code): string {
  const safe = title.replace(/[<&]/g, (sign) => (sign === "<" ? "&lt;" : "&amp;"));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe}</title>
${elements({ js: "", css: code.css })}</head>
<body>
${elements({ js: code.js, css: "" })}</body>
</html>
`;
}

async function inline({ kind, from, text, line }: Part, view: ViewFile, context: Context): Promise<string> {
  if (from !== undefined) return elements(await bundle({ file: join(dirname(view.path), from) }, view, context));
  // Empty lines, so that a message has the line of the HTML file.
  if (kind === "script") return elements(await bundle({ text: "\n".repeat(line - 1) + text }, view, context));
  throw new TypeError("a style without a file stays as it is");
}

function elements({ js, css }: Code): string {
  const style = css === "" ? "" : `<style>${css}</style>\n`;
  return js === "" ? style : `${style}<script type="module">${js}</script>\n`;
}

async function bundle(
  entry: { readonly file: string } | { readonly text: string },
  view: ViewFile,
  { base, isDev, wrapped }: Context,
): Promise<Code> {
  const source: BuildOptions =
    "file" in entry
      ? { entryPoints: [{ in: entry.file, out: "view" }] }
      : { stdin: { contents: entry.text, loader: "ts", resolveDir: dirname(view.path), sourcefile: view.path } };
  const { outputFiles = [] } = await build({
    ...source,
    absWorkingDir: base,
    outdir: base,
    bundle: true,
    write: false,
    minify: !isDev,
    sourcemap: isDev && "inline",
    format: "esm",
    platform: "browser",
    target: BROWSERS,
    jsx: "automatic",
    alias: { "#view": HELPER },
    define: { WRAPPED_TOOLS: JSON.stringify(wrapped) },
    loader: LOADERS,
    plugins: [serverModules, elsewhere],
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  const outputOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? "";
  return { js: scriptText(outputOf(".js")), css: styleText(outputOf(".css")) };
}

/** Refuses what runs on the server. A view may import its types, which are gone before this sees them. */
const serverModules: Plugin = {
  name: "server-modules",
  setup(bundler) {
    bundler.onResolve({ filter: /^(#tool|#test|cloudflare:.*)$/ }, ({ path }) => ({
      errors: [{ text: `a view, which runs in a browser, loads ${path}; import from a helper that does not` }],
    }));
  },
};

/** What stays on another server: the author names its origin in `view.csp`. */
const elsewhere: Plugin = {
  name: "elsewhere",
  setup(bundler) {
    bundler.onResolve({ filter: /.*/ }, ({ path }) => (isElsewhere(path) ? { path, external: true } : undefined));
  },
};
