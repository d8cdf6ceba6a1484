/** Bundles tool files for Node, with the settings that wrangler uses for the Worker. Does not run them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Loader, type Message, type Plugin } from "esbuild";

export type Bundled = { readonly bundle: string } | { readonly error: string };

const TOOL_MODULE = join(import.meta.dirname, "../../tool.ts");

/** Files that wrangler imports as text or data (its default module rules). */
const TEXT: Record<string, Loader> = { ".txt": "text", ".html": "text", ".sql": "text", ".bin": "binary" };

/**
 * @param out folder for the bundles
 * @param base folder that file names in messages are relative to
 * @returns for each path, where its bundle is, or why there is none
 */
export async function bundleAll(paths: readonly string[], out: string, base: string): Promise<Bundled[]> {
  const together = await bundle(paths, out, base);
  if (together === undefined) return paths.map((_, index) => ({ bundle: bundleIn(out, index) }));
  // One file that does not bundle makes the whole build fail. Bundle each alone to find out which.
  return Promise.all(
    paths.map(async (path, index): Promise<Bundled> => {
      const folder = join(out, String(index));
      const error = await bundle([path], folder, base);
      return error === undefined ? { bundle: bundleIn(folder, 0) } : { error };
    }),
  );
}

function bundleIn(folder: string, index: number): string {
  return join(folder, `${index}.mjs`);
}

/** @returns an error message, or undefined if it worked */
async function bundle(paths: readonly string[], outdir: string, base: string): Promise<string | undefined> {
  try {
    await build({
      absWorkingDir: base,
      entryPoints: paths.map((path, index) => ({ in: path, out: String(index) })),
      outdir,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      target: "esnext",
      conditions: ["workerd", "worker", "browser"],
      alias: { "#tool": TOOL_MODULE },
      external: ["node:*"],
      loader: TEXT,
      plugins: [testModule, runtimeModules, wasmModules],
      logLevel: "silent",
    });
    return undefined;
  } catch (error) {
    const messages = (error as { errors?: Message[] }).errors ?? [];
    return messages.map(formatMessage).join("; ") || String(error);
  }
}

function formatMessage({ text, location }: Message): string {
  return location ? `${text} (${location.file}:${location.line}:${location.column})` : text;
}

/** Refuses `#test` in a tool: it would bring the helpers of tests into the Worker. */
const testModule: Plugin = {
  name: "test-module",
  setup(bundler) {
    const text = "#test is for tests, which do not ship: import it in *.test.ts only";
    bundler.onResolve({ filter: /^#test$/ }, () => ({ errors: [{ text }] }));
  },
};

/** Stubs for `cloudflare:workers` and the like, which exist only in the runtime. Every member of a stub is a stub. */
const runtimeModules: Plugin = {
  name: "runtime-modules",
  setup(bundler) {
    bundler.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "runtime" }));
    bundler.onLoad({ filter: /.*/, namespace: "runtime" }, () => ({
      // A bundle reads named imports through the module's prototype. With a "then", a stub would be awaited.
      contents: `module.exports = new Proxy(function () {}, {
        get: (_, key) => (key === "then" ? undefined : module.exports),
        getPrototypeOf: () => module.exports,
        apply: () => module.exports,
      })`,
      loader: "js",
    }));
  },
};

/** wrangler imports a .wasm file as a compiled module. */
const wasmModules: Plugin = {
  name: "wasm-modules",
  setup(bundler) {
    bundler.onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
      contents: `export default new WebAssembly.Module(Buffer.from("${readFileSync(path, "base64")}", "base64"))`,
      loader: "js",
    }));
  },
};
