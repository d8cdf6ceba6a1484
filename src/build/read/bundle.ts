/** Bundles tool files for Node, with the settings that wrangler uses for the Worker. Does not run them. */
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import { build, type Loader, type Message, type Plugin } from "esbuild";

export type Bundled = { readonly bundle: string } | Unbundled;

/** Why a file cannot be bundled. */
export interface Unbundled {
  readonly error: string;
  /** What to do about it, if that is known. */
  readonly fix?: string | undefined;
  /** Where the mistake is; absent if it is not in a file. */
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

const TOOL_MODULE = join(import.meta.dirname, "../../tool.ts");

/** Files that wrangler imports as text or data: its default module rules, and the one of wrangler.toml for .md. */
export const WRANGLER_FILES: Readonly<Record<string, Loader>> = {
  ".txt": "text",
  ".html": "text",
  ".sql": "text",
  ".bin": "binary",
  ".md": "text",
};

/**
 * @param out folder for the bundles
 * @param base folder that file names in messages are relative to
 * @param imports gets what each file imports when it loads, by path relative to `base`
 * @returns for each path, where its bundle is, or why there is none
 */
export async function bundleAll(
  paths: readonly string[],
  out: string,
  base: string,
  imports: Map<string, readonly string[]>,
): Promise<Bundled[]> {
  const together = await bundle(paths, out, base, imports);
  if (together === undefined) return paths.map((_, index) => ({ bundle: bundleIn(out, index) }));
  // One file that does not bundle makes the whole build fail. Bundle each alone to find out which.
  return Promise.all(
    paths.map(async (path, index): Promise<Bundled> => {
      const folder = join(out, String(index));
      return (await bundle([path], folder, base, imports)) ?? { bundle: bundleIn(folder, 0) };
    }),
  );
}

function bundleIn(folder: string, index: number): string {
  return join(folder, `${index}.mjs`);
}

/** @returns why it does not work, or undefined if it does */
async function bundle(
  paths: readonly string[],
  outdir: string,
  base: string,
  imports: Map<string, readonly string[]>,
): Promise<Unbundled | undefined> {
  try {
    const { metafile } = await build({
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
      loader: WRANGLER_FILES,
      // For the line of an exception while a file loads (lib/positions.ts).
      sourcemap: "external",
      sourcesContent: false,
      metafile: true,
      plugins: [testModule, runtimeModules, wasmModules],
      logLevel: "silent",
    });
    for (const [file, input] of Object.entries(metafile.inputs)) {
      const loaded = input.imports.filter(({ kind, external }) => kind === "import-statement" && !external);
      imports.set(
        file,
        loaded.map(({ path }) => path),
      );
    }
    return undefined;
  } catch (error) {
    const messages = (error as { errors?: Message[] }).errors ?? [];
    const location = messages[0]?.location;
    return {
      error: messages.map((message) => explain(message).text).join("; ") || String(error),
      fix: [...new Set(messages.flatMap((message) => explain(message).fix ?? []))].join("; ") || undefined,
      path: location ? resolve(base, location.file) : undefined,
      line: location?.line,
    };
  }
}

/** A package's name in an import: `@scope/name/part` is a part of `@scope/name`. */
const PACKAGE = /^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*/i;

/** esbuild's message, and for an import that leads nowhere what to do: install it, or write `node:` before it. */
export function explain(message: Message): { text: string; fix?: string } {
  const [, from = ""] = /^Could not resolve "(.*)"$/.exec(message.text) ?? [];
  const name = from.startsWith("#") ? undefined : PACKAGE.exec(from)?.[0];
  if (name === undefined) return { text: formatMessage(message) };
  const text = formatMessage({ ...message, text: `it imports "${from}", which is not installed` });
  if (!builtinModules.includes(from)) return { text, fix: `run npm install ${name}, or correct the name` };
  return {
    text: formatMessage({ ...message, text: `it imports "${from}", a module of Node, without node: before it` }),
    fix: `write "node:${from}"`,
  };
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
