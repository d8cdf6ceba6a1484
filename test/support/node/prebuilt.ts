/**
 * Forks that are built once for all test files. Making a fork and looking whether it is built takes half a second, most
 * of it for its 700 source files, which a Worker does not need to run.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { build } from "./build.ts";
import { type Fork, makeFork } from "./fork.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const CACHE = join(ROOT, "node_modules/.cache/trivet-prebuilt");
/** What a build is made of, besides its tools and settings. */
const SOURCES = ["src", "package.json", "tsconfig.json", "node_modules/.package-lock.json", "test/support/node"];
const DAY_MS = 86_400_000;

/**
 * Returns a fork with its `wrangler.toml` and what was built, `dist/`, and without its sources.
 *
 * @param tools    a folder to copy to `tools/`, or files by their path in it
 * @param settings text of wrangler.toml
 */
export async function prebuilt(tools: string | Record<string, string>, settings: string): Promise<Fork> {
  const kept = join(CACHE, keyOf(tools, settings));
  if (!existsSync(kept)) await make(tools, settings, kept);
  const root = mkdtempSync(join(tmpdir(), "trivet-prebuilt-"));
  cpSync(kept, join(root, "dist"), { recursive: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("wrangler.toml", settings);
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  return { root, write, read, remove: () => rmSync(root, { recursive: true, force: true }) };
}

async function make(tools: string | Record<string, string>, settings: string, kept: string): Promise<void> {
  const fork = makeFork(tools);
  try {
    fork.write("wrangler.toml", settings);
    await build(fork);
    mkdirSync(CACHE, { recursive: true });
    const unfinished = `${kept}.${process.pid}`;
    cpSync(join(fork.root, "dist"), unfinished, { recursive: true });
    try {
      renameSync(unfinished, kept);
    } catch {
      // Another file has made the same meanwhile.
      rmSync(unfinished, { recursive: true });
    }
  } finally {
    fork.remove();
  }
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > DAY_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

/** Tells builds apart by when their sources were changed, which is known without reading them. */
function keyOf(tools: string | Record<string, string>, settings: string): string {
  const hash = createHash("sha256").update(`${process.env.QUICK_BUILDS}\0${settings}`);
  const sources = typeof tools === "string" ? [...SOURCES, tools] : SOURCES;
  if (typeof tools !== "string") hash.update(JSON.stringify(tools));
  for (const source of sources) for (const file of filesIn(join(ROOT, source))) hash.update(file);
  return hash.digest("hex");
}

/** Each file with its size and time, of a folder or a file. */
function filesIn(path: string): string[] {
  const found = statSync(path);
  if (!found.isDirectory()) return [`${path}\0${found.size}\0${found.mtimeMs}\0`];
  const names = readdirSync(path).filter((name) => name !== "generated");
  return names.sort().flatMap((name) => filesIn(join(path, name)));
}
