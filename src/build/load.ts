/** Evaluates tool files in Node: bundles them as the Worker will be, imports each, says which of them fail. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Message, type Plugin } from "esbuild";

export type Loaded = { readonly exports: Record<string, unknown> } | { readonly error: string };

const LOAD_TIMEOUT_MS = 10_000;

/** @returns what each file exports, by path, or why it cannot be loaded */
export async function loadAll(paths: readonly string[], aliasTool: string): Promise<Map<string, Loaded>> {
  const loaded = new Map<string, Loaded>();
  if (paths.length === 0) return loaded;
  const out = mkdtempSync(join(tmpdir(), "trivet-"));
  try {
    const bundled = await bundle(paths, out, aliasTool);
    if ("errors" in bundled) return await blame(paths, out, aliasTool);
    for (const [index, path] of paths.entries()) loaded.set(path, await load(join(out, `${index}.mjs`)));
    return loaded;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** One file that does not bundle fails the whole build: find out which by bundling each on its own. */
async function blame(paths: readonly string[], out: string, aliasTool: string): Promise<Map<string, Loaded>> {
  const loaded = new Map<string, Loaded>();
  for (const [index, path] of paths.entries()) {
    const folder = join(out, String(index));
    const bundled = await bundle([path], folder, aliasTool);
    loaded.set(path, "errors" in bundled ? { error: bundled.errors } : await load(join(folder, "0.mjs")));
  }
  return loaded;
}

async function bundle(
  paths: readonly string[],
  outdir: string,
  aliasTool: string,
): Promise<object | { errors: string }> {
  try {
    await build({
      entryPoints: paths.map((path, index) => ({ in: path, out: String(index) })),
      outdir,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target: "esnext",
      conditions: ["workerd", "worker", "browser"],
      alias: { "#tool": aliasTool },
      external: ["node:*"],
      plugins: [runtimeModules],
      logLevel: "silent",
    });
    return {};
  } catch (error) {
    const messages = (error as { errors?: Message[] }).errors ?? [];
    return { errors: messages.map(inWords).join("; ") || String(error) };
  }
}

function inWords({ text, location }: Message): string {
  return location ? `${text} (${location.file}:${location.line}:${location.column})` : text;
}

/** `cloudflare:workers` and its like exist only in the runtime: here they are objects that answer everything. */
const runtimeModules: Plugin = {
  name: "runtime-modules",
  setup(bundler) {
    bundler.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "runtime" }));
    bundler.onLoad({ filter: /.*/, namespace: "runtime" }, () => ({
      contents: "module.exports = new Proxy(function () {}, { get: () => module.exports })",
      loader: "js",
    }));
  },
};

async function load(path: string): Promise<Loaded> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`does not finish loading in ${LOAD_TIMEOUT_MS} ms`)), LOAD_TIMEOUT_MS);
  });
  try {
    return { exports: await Promise.race([import(pathToFileURL(path).href), late]) };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
