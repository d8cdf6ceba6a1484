/** Bundles tool files for Node, with the settings that wrangler uses for the Worker. Does not run them. */
import { join, resolve } from "node:path";
import { build, type Message, type Plugin } from "esbuild";
import { type Bundling, bundlingOf, wranglerOptions, wranglerPlugins } from "../lib/bundling.ts";
import { suggestExport } from "../lib/meant.ts";
import { assignment, textRule } from "../lib/settings-format.ts";
import { makeStub } from "../lib/worker-globals.ts";

export type Bundled = { readonly bundle: string } | Unbundled;

export interface Unbundled {
  readonly error: string;
  readonly fix?: string | undefined;
  /** Where the mistake is; absent if it is not in a file. */
  readonly path?: string | undefined;
  readonly line?: number | undefined;
}

const TOOL_MODULE = join(import.meta.dirname, "../../tool.ts");

/**
 * @param out      folder for the bundles
 * @param base     folder that file names in messages are relative to
 * @param imports  gets what each file imports when it loads, by path relative to `base`
 * @param bundling what the settings file says; by default nothing
 * @returns for each path, where its bundle is, or why there is none
 */
export async function bundleAll(
  paths: readonly string[],
  out: string,
  base: string,
  imports: Map<string, readonly string[]>,
  bundling = bundlingOf(base),
): Promise<Bundled[]> {
  const together = await bundle(paths, out, base, imports, bundling);
  if (together === undefined) return paths.map((_, index) => ({ bundle: bundleIn(out, index) }));
  // One file that does not bundle makes the whole build fail. Bundle each alone to find out which.
  return Promise.all(
    paths.map(async (path, index): Promise<Bundled> => {
      const folder = join(out, String(index));
      return (await bundle([path], folder, base, imports, bundling)) ?? { bundle: bundleIn(folder, 0) };
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
  bundling: Bundling,
): Promise<Unbundled | undefined> {
  try {
    const { metafile } = await build({
      ...wranglerOptions(bundling),
      absWorkingDir: base,
      entryPoints: paths.map((path, index) => ({ in: path, out: String(index) })),
      outdir,
      outExtension: { ".js": ".mjs" },
      splitting: true,
      alias: { "#tool": TOOL_MODULE },
      // For the line of an exception while a file loads (lib/positions.ts).
      sourcemap: "external",
      sourcesContent: false,
      metafile: true,
      plugins: [testModule, runtimeModules, ...wranglerPlugins(bundling)],
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
    const explained = await Promise.all(messages.map((message) => explainImport(message, base, bundling.file)));
    const location = messages[0]?.location;
    return {
      error: explained.map(({ text }) => text).join("; ") || String(error),
      fix: [...new Set(explained.flatMap(({ fix }) => fix ?? []))].join("; ") || undefined,
      path: location ? resolve(base, location.file) : undefined,
      line: location?.line,
    };
  }
}

/** A package's name in an import: `@scope/name/part` is a part of `@scope/name`. */
const PACKAGE = /^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*/i;

/** Formats esbuild's message, and says what to do about an import that leads nowhere. */
export function explain(message: Message): { text: string; fix?: string } {
  const [, from = ""] = /^Could not resolve "(.*)"$/.exec(message.text) ?? [];
  const name = from.startsWith("#") ? undefined : PACKAGE.exec(from)?.[0];
  if (name === undefined) return { text: formatMessage(message) };
  const text = formatMessage({ ...message, text: `it imports "${from}", which is not installed` });
  return { text, fix: `run npm install ${name}, or correct the name` };
}

/** Like {@link explain}, but also says which name `#tool` has instead of a wrong one, and which rule a file lacks. */
async function explainImport(
  message: Message,
  base: string,
  settings: string,
): Promise<{ text: string; fix?: string }> {
  const [, from = "", name = ""] = /^No matching export in "(.*)" for import "(.*)"$/.exec(message.text) ?? [];
  if (name !== "" && resolve(base, from) === TOOL_MODULE) {
    const meant = name === "default" ? "defineTool" : await suggestExport(name);
    const text = `#tool has no ${name === "default" ? "default export" : `"${name}"`}`;
    const asked = meant === undefined ? text : `${text}: did you mean ${meant}?`;
    const fix = meant === undefined ? "correct the name" : `write import { ${meant} } from "#tool"`;
    return { text: formatMessage({ ...message, text: asked }), fix };
  }
  const [, end] = /^No loader is configured for "(\.\w+)" files/.exec(message.text) ?? [];
  if (end === undefined) return explain(message);
  const text = `it imports a ${end} file, and ${settings} has no rule that such files are text or data`;
  const data = end === ".md" ? "" : ` (for bytes: ${assignment(settings, "type", "Data")})`;
  const fix = `add to ${settings}: ${textRule(settings, end)}${data}`;
  return { text: formatMessage({ ...message, text }), fix };
}

function formatMessage({ text, location }: Message): string {
  return location ? `${text} (${location.file}:${location.line}:${location.column})` : text;
}

/** Refuses `#test` in a tool, because it would bring the helpers of tests into the Worker. */
const testModule: Plugin = {
  name: "test-module",
  setup(bundler) {
    const text = "#test is for tests, which do not ship: import it in *.test.ts only";
    bundler.onResolve({ filter: /^#test$/ }, () => ({ errors: [{ text }] }));
  },
};

/** Stubs for `cloudflare:workers` and the like, which exist only in the runtime. */
const runtimeModules: Plugin = {
  name: "runtime-modules",
  setup(bundler) {
    bundler.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "runtime" }));
    // A bundle reads named imports through the module's prototype.
    const contents = `module.exports = Object.create((${makeStub})())`;
    bundler.onLoad({ filter: /.*/, namespace: "runtime" }, () => ({ contents }));
  },
};
