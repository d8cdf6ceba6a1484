/** Bundles a view into one HTML text with its scripts, styles and pictures, because a host gets a single resource. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type BuildFailure, type BuildOptions, build, type Loader } from "esbuild";
import { BROWSERS, scriptText, styleText } from "../lib/inline.ts";
import type { ViewFile } from "../read/paths.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { codeIn, type Part, withParts } from "./html.ts";
import { complaintOf, HELPER, limitImports } from "./imports.ts";

const LOADERS: Readonly<Record<string, Loader>> = Object.fromEntries([
  ...[".html", ".md", ".txt"].map((ending) => [ending, "text"] as const),
  ...[".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".woff2"].map((ending) => [ending, "dataurl"] as const),
]);

interface Context {
  /** Folder that names in messages are relative to. */
  readonly base: string;
  /** Whether it is for `npm start`: not minified, with source maps for the browser's tools. */
  readonly isDev: boolean;
  /** The tools whose results MCP wraps in an object, for `#view`. */
  readonly wrapped: readonly string[];
  readonly title: string;
  /** The name of its tool in MCP. */
  readonly tool: string;
  /** Origins that its tool lets it load from. */
  readonly resourceDomains: readonly string[];
}

export async function bundleView(
  view: ViewFile,
  context: Context,
): Promise<{ html: string } | { problems: Problem[] }> {
  try {
    const source = readFileSync(view.path, "utf8");
    const wrong = wrongName(source, context.tool);
    if (!view.path.endsWith(".html")) {
      if (wrong) return { problems: [problemIn(view.file, wrong)] };
      return { html: page(context.title, await bundle({ file: view.path }, view, context)) };
    }
    const { parts, complaints } = codeIn(source, context.resourceDomains);
    if (wrong) complaints.push(wrong);
    if (complaints.length > 0) return { problems: complaints.map((complaint) => problemIn(view.file, complaint)) };
    const inlined = await Promise.all(parts.map((part) => inline(part, view, context)));
    return { html: withParts(source, parts, inlined) };
  } catch (failure) {
    const { errors } = failure as BuildFailure;
    if (!Array.isArray(errors)) throw failure;
    return {
      problems: errors.map((message) => problemIn(message.location?.file ?? view.file, complaintOf(message))),
    };
  }
}

/** Finds an `openView` with another tool's name, which no type checker sees in HTML. Ignores lines of comments. */
function wrongName(source: string, tool: string): Complaint | undefined {
  if (!/["']#view["']/.test(source)) return undefined;
  for (const [at, line] of source.split("\n").entries()) {
    if (/^\s*(\/\/|\/?\*|<!--)/.test(line)) continue;
    const [, name = tool] = /\bopenView\(\s*["']([^"']*)["']/.exec(line) ?? [];
    if (name === tool) continue;
    const problem = `it says openView("${name}"), and it is the view of ${tool}`;
    return { problem, fix: `write openView("${tool}")`, line: at + 1 };
  }
  return undefined;
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

async function inline({ from, text, line }: Part, view: ViewFile, context: Context): Promise<string> {
  const code = from === undefined ? text : `import ${JSON.stringify(from.startsWith(".") ? from : `./${from}`)};`;
  // Empty lines, so that a message has the line of the HTML file.
  return elements(await bundle({ text: "\n".repeat(line - 1) + code }, view, context));
}

function elements({ js, css }: Code): string {
  const style = css === "" ? "" : `<style>${css}</style>\n`;
  return js === "" ? style : `${style}<script type="module">${js}</script>\n`;
}

async function bundle(
  entry: { readonly file: string } | { readonly text: string },
  view: ViewFile,
  { base, isDev, wrapped, resourceDomains }: Context,
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
    plugins: [limitImports({ base, view, resourceDomains })],
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  const outputOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? "";
  return { js: scriptText(outputOf(".js")), css: styleText(outputOf(".css")) };
}
