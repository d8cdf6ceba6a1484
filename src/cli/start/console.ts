/**
 * Loaded into wrangler's process by `npm start` (`node --import`): shows the Worker's log, which is JSON, to a person,
 * and prints a banner when the server is ready. wrangler has no option for either. All other output stays wrangler's
 * own, with its terminal and its keys.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { banner, viewsLine } from "./banner.ts";
import { indented, paintFor, readEntry, showEntry } from "./entry.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Written by discovery: what it found for the server that is running. */
const FOUND = join(ROOT, "src/generated/dev/found.txt");
/** Written with it: the file of each tool by its name in the log. */
const FILES = join(ROOT, "src/generated/dev/files.json");
/** Written by discovery, if wrangler.toml turns the page at / on. */
const PAGE = join(ROOT, "src/generated/front-page/index.html");
/**
 * Written by discovery: the URIs of the views, if there are any, and after them the build that has them; and what is
 * wrong with what was saved since.
 */
const VIEWS = {
  uris: join(ROOT, "src/generated/dev/views.json"),
  build: join(ROOT, "src/generated/dev/current.js"),
  problems: join(ROOT, "src/generated/dev/problems.txt"),
};
/** Written here, for `npm run connect`: where this server is, as wrangler takes another port if its own is taken. */
const SERVING = join(ROOT, "src/generated/dev/serving.json");
/** wrangler's line when it serves for the first time. */
const READY = /Ready on (https?:\/\/\S+)/;
/** Discovery's line after each build. */
const BUILT = /discovered \d+ tool/;

const paint = paintFor(process.stdout);
const write = process.stdout.write.bind(process.stdout);
let server: string | undefined;
let views: Promise<string | undefined> | undefined;

function fileOf(name: string): string | undefined {
  try {
    const files = JSON.parse(readFileSync(FILES, "utf8"));
    return Object.hasOwn(files, name) ? files[name] : undefined;
  } catch {
    // Not yet written, or being written.
    return undefined;
  }
}

/** Serves the preview page as soon as there is a view. @returns its address; undefined without views, or a second time */
async function startPreview(url: string): Promise<string | undefined> {
  if (views || !existsSync(VIEWS.uris)) return undefined;
  const start = async () => {
    // Loads a bundler, which most servers do not need.
    const { servePreview } = await import("./preview/serve.ts");
    const complain = (text: string) => console.error(indented(text));
    return servePreview({ server: url, tools: join(ROOT, "tools"), ...VIEWS, complain });
  };
  views = start().catch((error) => void console.error(`The preview page does not start: ${error.message}`));
  return views;
}

async function greet(url: string): Promise<void> {
  writeFileSync(SERVING, JSON.stringify({ url, pid: process.pid }));
  process.on("exit", () => rmSync(SERVING, { force: true }));
  const page = await startPreview(url);
  write(`${banner(url, existsSync(FOUND) ? readFileSync(FOUND, "utf8") : "", existsSync(PAGE), page)}\n`);
}

async function greetFirstView(url: string): Promise<void> {
  const page = await startPreview(url);
  if (page !== undefined) write(`\n${viewsLine(page)}\n\n`);
}

function shown(line: string): string {
  const entry = readEntry(line);
  if (entry) return showEntry(entry, { root: ROOT, fileOf }, paint, new Date());
  const [, url] = server === undefined ? (READY.exec(stripVTControlCharacters(line)) ?? []) : [];
  if (url !== undefined) {
    server = url;
    void greet(url);
  } else if (server !== undefined && BUILT.test(line)) void greetFirstView(server);
  return line;
}

process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) =>
  // wrangler writes whole lines.
  write(typeof chunk === "string" ? chunk.split("\n").map(shown).join("\n") : chunk, ...rest)) as typeof write;
