/** Builds forks as a deployment does. Each content is built once: suites with the same tools and settings share it. */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { bundle, isQuick } from "./bundle.ts";
import type { Fork } from "./fork.ts";
import { execFile } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Builds, stored by the hash of their sources. */
const CACHE = join(ROOT, "node_modules/.cache/trivet-builds");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const PACKAGES = join(ROOT, "node_modules/.package-lock.json");
const BUNDLE = join(import.meta.dirname, "bundle.ts");
/** The page at /, which a build writes if wrangler.toml has it, and which is uploaded beside `dist/`. */
const PAGE = "src/generated/front-page";
const DAY_MS = 86_400_000;

/** Writes what `wrangler deploy` would upload to `dist/`, and the page. */
export async function build({ root }: Fork): Promise<void> {
  const kept = join(CACHE, contentOf(root));
  if (!existsSync(kept)) {
    await (isQuick ? bundle(root, join(root, "dist")) : runWrangler(root));
    keep(root, kept);
  }
  const page = join(kept, "page");
  cpSync(kept, join(root, "dist"), { recursive: true, filter: (path) => path !== page });
  if (existsSync(page)) cpSync(page, join(root, PAGE), { recursive: true });
}

function runWrangler(root: string): Promise<void> {
  const args = [WRANGLER, "deploy", "--dry-run", "--outdir", "dist"];
  return new Promise((done, failed) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) =>
      error ? failed(new Error(`wrangler does not build:\n${stdout}${stderr}`)) : done(),
    );
  });
}

/**
 * Returns a hash of everything that a build reads: the contents of the fork's files; and the size and time of this
 * project's, to which the fork may have links.
 */
function contentOf(root: string): string {
  const hash = createHash("sha256").update(`${isQuick}`);
  const generated = join(root, "src/generated");
  const add = (path: string, isOurs: boolean) => {
    if (path === generated) return;
    const found = lstatSync(path);
    if (found.isSymbolicLink()) add(realpathSync(path), true);
    else if (found.isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name), isOurs);
    else if (isOurs) hash.update(`\0${path}\0${found.size}\0${found.mtimeMs}`);
    else hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  };
  for (const name of ["package.json", "tsconfig.json", "wrangler.toml", "src", "tools"]) add(join(root, name), false);
  for (const path of [PACKAGES, BUNDLE]) if (existsSync(path)) add(path, true);
  return hash.digest("hex");
}

/** Stores a build atomically: another suite may build the same at this moment. */
function keep(root: string, kept: string): void {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${kept}.${process.pid}`;
  cpSync(join(root, "dist"), unfinished, { recursive: true });
  if (existsSync(join(root, PAGE))) cpSync(join(root, PAGE), join(unfinished, "page"), { recursive: true });
  try {
    renameSync(unfinished, kept);
  } catch {
    rmSync(unfinished, { recursive: true });
  }
  forgetOld();
}

/** Deletes builds older than a day: their sources have changed, so nothing needs them. */
function forgetOld(): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    // Undefined if another process has renamed or deleted it just now.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}
