/**
 * Writes the page at / for forks that serve it: one HTML file with its script and its style inside, and beside it the
 * headers that Cloudflare serves it with (Workers, Static Assets, Headers).
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type BuildFailure, build } from "esbuild";
import { BROWSERS, scriptText, styleText } from "../lib/inline.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { writeIfChanged } from "./write.ts";

const PROJECT = join(import.meta.dirname, "../../..");
const SOURCE = join(PROJECT, "src/features/page/browser");
const HTML = join(SOURCE, "index.html");

const FIX = "correct it, or turn the page off (docs/connect.md)";

type Part = "style" | "script";

const placeOf = (part: Part) => `<!-- ${part} -->`;

/**
 * Writes the page, or removes it if it is turned off. Only files that changed are written: the server watches them.
 *
 * @param out path of the catalogue; the page is in `front-page/` next to it
 * @returns the mistakes in src/features/page/browser; if there are any, nothing is written or removed
 */
export async function writePage(isOn: boolean, out: string): Promise<Problem[]> {
  const folder = join(dirname(out), "front-page");
  if (!isOn) {
    rmSync(folder, { recursive: true, force: true });
    return [];
  }
  const wrong = wrongHtml();
  if (wrong) return [problemIn("src/features/page/browser/index.html", wrong)];
  try {
    const files = await renderPage();
    // Cloudflare serves whatever is in the folder, so nothing else stays there, and a file is completed outside of it.
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (!files.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
    }
    for (const [name, text] of files) writeIfChanged(join(folder, name), text, join(dirname(folder), `page-${name}`));
    return [];
  } catch (failure) {
    const { errors } = failure as BuildFailure;
    if (!Array.isArray(errors)) throw failure;
    return errors.map(({ text, location }) =>
      problemIn(location?.file ?? "src/features/page/browser", { problem: text, fix: FIX, line: location?.line }),
    );
  }
}

/** Finds what is wrong with index.html, which must have places for the page's style and script. */
function wrongHtml(): Complaint | undefined {
  try {
    const html = readFileSync(HTML, "utf8");
    const part = (["style", "script"] as const).find((one) => !html.includes(placeOf(one)));
    const fix = `write ${part && placeOf(part)} at the end of its ${part === "style" ? "head" : "body"}`;
    return part && { problem: `it has no place for the ${part} of the page`, fix };
  } catch (error) {
    return { problem: `it cannot be read (${(error as NodeJS.ErrnoException).code})`, fix: FIX };
  }
}

/**
 * @returns the text of each file by its name
 * @throws {BuildFailure} if the script or the style cannot be bundled
 */
async function renderPage(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: PROJECT,
    entryPoints: [
      { in: join(SOURCE, "main.ts"), out: "script" },
      { in: join(SOURCE, "style/main.css"), out: "style" },
    ],
    outdir: SOURCE,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: BROWSERS,
    define: { DOCS: JSON.stringify(docsUrl(readRepository()) ?? "") },
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  const outputOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? "";
  const script = scriptText(outputOf(".js"));
  const style = styleText(outputOf(".css"));
  // Functions, because a text may contain $&.
  const page = readFileSync(HTML, "utf8")
    .replace(placeOf("style"), () => `<style>${style}</style>`)
    .replace(placeOf("script"), () => `<script type="module">${script}</script>`);
  return new Map([
    ["index.html", page],
    ["_headers", renderHeaders(script, style)],
  ]);
}

/** `repository` of package.json: a text, or an object with the text as `url` (npm, package.json, repository). */
function readRepository(): unknown {
  const { repository } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  return repository?.url ?? repository;
}

/**
 * Where the pages of docs/ are read: `https://github.com/owner/name/blob/HEAD/docs/`.
 *
 * @param repository `owner/name`, `github:owner/name`, or the https URL to clone it from
 * @returns undefined if there is none, or none that browsers can open
 */
export function docsUrl(repository: unknown): string | undefined {
  if (typeof repository !== "string") return undefined;
  const [, path] = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(repository) ?? [];
  const [, base] = /^(?:git\+)?(https:\/\/[\w.:-]+\/[\w./-]+?)(?:\.git)?$/.exec(repository) ?? [];
  const root = path === undefined ? base : `https://github.com/${path}`;
  return root && `${root}/blob/HEAD/docs/`;
}

/**
 * The page runs its own script and style and no others, and talks to its own server alone. Its script cannot turn text
 * into HTML: browsers with trusted types refuse that. The last header tells the Worker that this is the page; visitors do
 * not get it (src/features/page/front-page.ts).
 */
function renderHeaders(script: string, style: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${sourceOf(script)}`,
    `style-src ${sourceOf(style)}`,
    "img-src 'self' data: blob:",
    "media-src blob: data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `/*
  Content-Security-Policy: ${policy}
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()
  Referrer-Policy: no-referrer
  X-Content-Type-Options: nosniff
  X-Trivet-Page: 1
`;
}

/** A source of a Content-Security-Policy: the hash of what is inside the element (CSP Level 3, section 2.3.1). */
function sourceOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
