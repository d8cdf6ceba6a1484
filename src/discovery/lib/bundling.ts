/**
 * How wrangler bundles a Worker, as options and plugins for esbuild: its own rules, and what wrangler.toml says.
 * Everything that bundles tools takes them from here, and so accepts what wrangler accepts.
 */
import { existsSync, readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { join } from "node:path";
import type { BuildOptions, OnLoadResult, Platform, Plugin } from "esbuild";
import type { Unstable_Config as Config } from "wrangler";

export interface Bundling {
  /** The folder that paths of aliases are relative to. */
  readonly project: string;
  /** The name of the settings file. */
  readonly file: string;
  readonly alias: Readonly<Record<string, string>>;
  readonly define: Readonly<Record<string, string>>;
  readonly rules: readonly Rule[];
  readonly options: Pick<BuildOptions, "tsconfig" | "jsxFactory" | "jsxFragment">;
}

/** Says which imports are text, data or WebAssembly. */
interface Rule {
  readonly type: string;
  readonly globs: readonly string[];
  /** wrangler refuses what matches: an earlier rule of the type lacks `fallthrough = true`. */
  readonly isIgnored: boolean;
}

/** @param configs of all environments, the top level first, whose values win; without any, wrangler's defaults */
export function bundlingOf(project: string, configs: readonly Config[] = [], file = "wrangler.toml"): Bundling {
  const [top] = configs;
  const merged = (name: "alias" | "define"): Record<string, string> =>
    Object.assign({}, ...configs.map((config) => config[name] ?? {}).reverse());
  return {
    project,
    file,
    alias: merged("alias"),
    define: merged("define"),
    rules: rulesOf(top?.rules ?? []),
    options: {
      ...(top?.tsconfig && { tsconfig: top.tsconfig }),
      ...(top?.jsx_factory && { jsxFactory: top.jsx_factory }),
      ...(top?.jsx_fragment && { jsxFragment: top.jsx_fragment }),
    },
  };
}

const DEFAULT_RULES: Config["rules"] = [
  { type: "Text", globs: ["**/*.txt", "**/*.html", "**/*.sql"] },
  { type: "Data", globs: ["**/*.bin"] },
  { type: "CompiledWasm", globs: ["**/*.wasm", "**/*.wasm?module"] },
];

function rulesOf(own: Config["rules"]): Rule[] {
  const complete = new Set<string>();
  return [...own, ...DEFAULT_RULES].map(({ type, globs, fallthrough }) => {
    const isIgnored = complete.has(type);
    if (fallthrough !== true) complete.add(type);
    return { type, globs, isIgnored };
  });
}

export function wranglerOptions({ define, options }: Bundling) {
  const { WRANGLER_BUILD_CONDITIONS: conditions, WRANGLER_BUILD_PLATFORM: platform = "browser" } = process.env;
  return {
    ...options,
    bundle: true,
    format: "esm",
    platform: platform as Platform,
    target: "es2024",
    supported: { "import-source": true, using: true },
    conditions: conditions?.split(",") ?? ["workerd", "worker", "browser"],
    loader: { ".js": "jsx", ".mjs": "jsx", ".cjs": "jsx" },
    define: { "navigator.userAgent": '"Cloudflare-Workers"', ...define },
  } as const satisfies BuildOptions;
}

/** @param wasm how a file of WebAssembly is loaded; by default it is compiled by the code, which a Worker may not do */
export function wranglerPlugins({ project, alias, rules }: Bundling, wasm = LOADERS.CompiledWasm as Load): Plugin[] {
  return [aliases(project, alias), ruleModules(rules, wasm), nodeModules];
}

function aliases(project: string, alias: Bundling["alias"]): Plugin {
  return {
    name: "alias",
    setup(bundler) {
      for (const [name, path] of Object.entries(alias)) {
        bundler.onResolve({ filter: exactly(name) }, () => ({ path: resolveAlias(path, project) }));
      }
    },
  };
}

/** @throws {Error} if there is no such file or package */
export function resolveAlias(path: string, project: string): string {
  return createRequire(import.meta.url).resolve(path, { paths: [project] });
}

function ruleModules(rules: readonly Rule[], wasm: Load): Plugin {
  return {
    name: "rules",
    setup(bundler) {
      for (const { type, globs, isIgnored } of rules.filter(({ type }) => Object.hasOwn(LOADERS, type))) {
        for (const glob of globs) {
          bundler.onResolve(
            { filter: matching(glob) },
            async ({ path: from, kind, importer, resolveDir, pluginData }) => {
              if (pluginData === WITHOUT_RULES) return undefined;
              if (isIgnored) {
                const why = `an earlier rule with type = "${type}" lacks fallthrough = true`;
                return { errors: [{ text: `wrangler refuses "${from}": ${why}` }] };
              }
              const [path = ""] = from.split("?");
              const places = createRequire(join(resolveDir, "_")).resolve.paths(path) ?? [];
              const plain = places.map((folder) => join(folder, path)).find(existsSync);
              if (plain !== undefined) return { path: plain, namespace: type };
              const found = await bundler.resolve(path, { kind, importer, resolveDir, pluginData: WITHOUT_RULES });
              return found.errors.length > 0 ? found : { path: found.path, namespace: type };
            },
          );
        }
      }
      const loaded = { ...LOADERS, CompiledWasm: wasm };
      for (const [namespace, load] of Object.entries(loaded)) {
        bundler.onLoad({ filter: /.*/, namespace }, ({ path }) => load(path));
      }
    },
  };
}

const WITHOUT_RULES = Symbol("resolved without rules");
type Load = (path: string) => OnLoadResult;
const LOADERS: Readonly<Record<string, Load>> = {
  Text: (path) => ({ contents: readFileSync(path, "utf8"), loader: "text" }),
  // The Worker gets an ArrayBuffer.
  Data: (path) => ({ contents: `export default ${bytesOf(path)}.buffer` }),
  CompiledWasm: (path) => ({ contents: `export default new WebAssembly.Module(${bytesOf(path)})` }),
};

/** A JavaScript expression for the bytes of a file. */
function bytesOf(path: string): string {
  return `Uint8Array.from(atob("${readFileSync(path, "base64")}"), (sign) => sign.charCodeAt(0))`;
}

/** Wrangler matches a glob with the path in an import, and `*` also matches `/`. */
function matching(glob: string): RegExp {
  return new RegExp(`^${glob.split(/\*+/).map(escaped).join(".*")}$`);
}

function exactly(text: string): RegExp {
  return new RegExp(`^${escaped(text)}$`);
}

function escaped(text: string): string {
  return text.replace(/[-/\\^$*+?.()|[\]{}]/g, "\\$&");
}

/** Modules of Node, with `node:` or without. A `require` of one, which ES modules do not have, becomes an import. */
const nodeModules: Plugin = {
  name: "node-modules",
  setup(bundler) {
    const filter = new RegExp(`^(node:.+|${builtinModules.map(escaped).join("|")})$`);
    bundler.onResolve({ filter }, ({ path, kind }) => {
      if (kind === "require-call") return { path, namespace: "required" };
      return { path: path.startsWith("node:") ? path : `node:${path}`, external: true };
    });
    bundler.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `import all from ${JSON.stringify(path)}; module.exports = all;`,
    }));
  },
};
