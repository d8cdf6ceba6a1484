/**
 * Loaded into wrangler's process by `npm start` (`node --import`): makes the Worker's log, which is JSON, readable,
 * hides what wrangler says about its own work, and prints a banner when the server is ready. wrangler has no option for
 * any of these. All other output stays wrangler's own, with its terminal and its keys.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { banner, viewsLine } from "./banner.ts";
import { indented, paintFor, readEntry, showEntry } from "./entry.ts";
import { bindingsTable, isHidden } from "./hidden-lines.ts";
import { TUNNEL_KEY } from "./options.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Written by discovery: what it found for the server that is running. */
const FOUND = join(ROOT, "src/generated/dev/found.txt");
/** Written by discovery: the file of each tool, by the tool's name in the log. */
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
/** Written here, for `npm run connect`: where this server is. wrangler takes another port if its own is taken. */
const SERVING = join(ROOT, "src/generated/dev/serving.json");
/** wrangler's line when it serves for the first time. */
const READY = /Ready on (https?:\/\/\S+)/;
/** wrangler's line when the internet reaches it. If a tunnel has several addresses, they follow. */
const SHARED = /Sharing via Cloudflare Tunnel:(?: (https:\/\/[^\s/]+))?/;
/** Discovery's line after each build. */
const BUILT = /discovered \d+ tool/;

const paint = paintFor(process.stdout);
const write = process.stdout.write.bind(process.stdout);
const isInTable = bindingsTable();
const key = process.env[TUNNEL_KEY];
let server: string | undefined;
let tunnel: { readonly url: string | undefined } | undefined;
let views: Promise<string | undefined> | undefined;

function fileOf(name: string): string | undefined {
  try {
    const files = JSON.parse(readFileSync(FILES, "utf8"));
    return Object.hasOwn(files, name) ? files[name] : undefined;
  } catch {
    // The file is not there yet, or is being written.
    return undefined;
  }
}

/** Serves the preview page as soon as there is a view. @returns its address; undefined without views, or a second time */
async function startPreview(url: string): Promise<string | undefined> {
  // The page calls tools without a credential.
  if (key !== undefined || views || !existsSync(VIEWS.uris)) return undefined;
  const start = async () => {
    // Loads a bundler, which most servers do not need.
    const { servePreview } = await import("./preview/serve.ts");
    const complain = (text: string) => console.error(indented(text));
    return servePreview({ server: url, tools: join(ROOT, "tools"), ...VIEWS, complain });
  };
  views = start().catch((error) => void console.error(`The preview page does not start: ${error.message}`));
  return views;
}

/** Notes where this server is. A server that starts later in this clone overwrites it. */
function note(url: string): void {
  const noted = JSON.stringify({ url, pid: process.pid, tunnel: tunnel?.url });
  writeFileSync(SERVING, noted);
  process.on("exit", () => {
    if (existsSync(SERVING) && readFileSync(SERVING, "utf8") === noted) rmSync(SERVING);
  });
}

async function greet(url: string): Promise<void> {
  note(url);
  const views = await startPreview(url);
  const found = existsSync(FOUND) ? readFileSync(FOUND, "utf8") : "";
  write(banner(tunnel?.url ?? url, found, { hasPage: existsSync(PAGE), views, key }));
}

async function greetFirstView(url: string): Promise<void> {
  const page = await startPreview(url);
  if (page !== undefined) write(`\n${viewsLine(page)}\n\n`);
}

/** @returns undefined for a line that is left out */
function shown(line: string): string | undefined {
  const entry = readEntry(line);
  if (entry) return showEntry(entry, { root: ROOT, fileOf }, paint, new Date());
  const text = stripVTControlCharacters(line);
  if ((server === undefined && isInTable(text)) || isHidden(text, server !== undefined, key !== undefined))
    return undefined;
  if (server !== undefined && BUILT.test(line)) void greetFirstView(server);
  // Read only until the server is ready: later, a tool may print such a line.
  const [, url] = server === undefined ? (READY.exec(text) ?? []) : [];
  const [isShared, address] = key !== undefined && tunnel === undefined ? (SHARED.exec(text) ?? []) : [];
  server ??= url;
  if (isShared) tunnel = { url: address };
  // The server may be ready before its tunnel is, or after it.
  if (server !== undefined && (url ?? isShared) && (key === undefined || tunnel)) void greet(server);
  // The banner has the address.
  return url === undefined ? line : undefined;
}

/** Splits the text into lines: wrangler writes whole ones. */
function shownAll(text: string): string {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return [
    ...lines.map(shown).flatMap((line) => (line === undefined ? [] : `${line}\n`)),
    last && (shown(last) ?? ""),
  ].join("");
}

process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) =>
  write(typeof chunk === "string" ? shownAll(chunk) : chunk, ...rest)) as typeof write;
