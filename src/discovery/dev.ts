/**
 * Prepares what `wrangler dev` serves: copies of the tools as discovery read them, and their catalogue. If wrangler
 * bundled tools/ directly, then while one tool is broken, new code of the others would run under the scopes and schemas
 * of the old catalogue.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build, type OutputFile, type Plugin, type ResolveResult } from "esbuild";
import { type Bundling, bundlingOf, wranglerOptions, wranglerPlugins } from "./lib/bundling.ts";
import type { Discovery } from "./read/discovery.ts";
import { findToolFiles } from "./read/paths.ts";
import { rewatch } from "./rewatch.ts";
import { summary } from "./summary.ts";
import { specifierOf } from "./write/bundle-toolkit.ts";
import { renderEntrypoints, renderFeatures } from "./write/features.ts";
import { render, writeAll, writeIfChanged } from "./write/write.ts";

/** Declares the features while a setting is wrong: the only one refuses every request. */
const REFUSING = `const refused = { message: "A setting is wrong: the terminal of npm start says which one, and what to write" };
const current = [{ aroundWorker: () => () => ({ fetch: () => Response.json(refused, { status: 503 }) }) }];
`;

export interface DevCatalog {
  /** Copies the tools as they are now, for {@link serve}. Rejects if one cannot be bundled. */
  copy(tools: string, bundling: Bundling | undefined): Promise<Copies>;
  /** Switches the server to these copies, with a catalogue of what discovery found. */
  serve(copies: Copies, discovery: Discovery): Promise<void>;
  /** Keeps serving the last good build. @returns false if there is none since this server started */
  keepServing(problems: string): boolean;
  /** Has the server refuse every request until the next build. @returns false if it has not built yet */
  refuse(problems: string): boolean;
  /** Has wrangler watch the folder of tools again if it is not the one that the server started with. */
  watchAgain(tools: string): void;
}

interface Copies {
  readonly tools: string;
  readonly files: readonly OutputFile[];
}

/** A marker file, which exists while a server is starting and has not built yet. Its first build deletes the file. */
const STARTING = "starting";
/** What the server serves, in words, for the banner of `npm start`. */
const FOUND = "found.txt";
/** The file of each primitive, by the name that the log has for it. */
const FILES = "files.json";
/** The URIs of the views, for the preview page. The file is missing if there are none. */
const VIEWS = "views.json";
/** Why the last changes are not served, for the preview page. The file is missing if they are. */
const PROBLEMS = "problems.txt";
/** Identifies the folder of tools that wrangler watches (rewatch.ts). */
const WATCHED = "watched";
/**
 * The output folder given to esbuild, so that relative imports work from any folder beside it. Nothing is written here.
 */
const BUNDLED = "bundled/tools";

/** Marks the next build as the first of its server, so that it does not fall back to what an earlier server left. */
export function announceStart(out: string): void {
  const folder = join(dirname(out), "dev");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, STARTING), "");
}

/** @param out path of the catalogue that the Worker imports */
export function devCatalog(out: string): DevCatalog {
  const folder = join(dirname(out), "dev");
  const current = join(folder, "current.js");
  const isFirst = existsSync(join(folder, STARTING));
  rmSync(join(folder, STARTING), { force: true });
  const hasBuilt = () => !isFirst && existsSync(current);
  // Always written, because a test or a deployment may have replaced it with a catalogue that imports tools/ directly.
  // Its modules stay, because the type checker of a running test may be reading them.
  const features = join(dirname(out), "features.ts");
  // With their type, because the type checker of a running test may read this, too.
  const writeFeatures = (current: string) => {
    const type = JSON.stringify(specifierOf(features, join(import.meta.dirname, "../features/feature.ts")));
    const text = `import type { Feature } from ${type};\n${current}export const features: readonly Feature[] = current;\n`;
    writeIfChanged(features, `// @ts-nocheck\n${text}`);
  };
  const serveCurrent = () => {
    writeFeatures('import { features as current } from "./dev/current.js";\n');
    writeIfChanged(out, '// @ts-nocheck\nexport { default } from "./dev/current.js";\n');
  };
  return {
    keepServing(problems) {
      if (!hasBuilt()) return false;
      writeFileSync(join(folder, PROBLEMS), problems);
      serveCurrent();
      return true;
    },
    refuse(problems) {
      if (!hasBuilt()) return false;
      writeFileSync(join(folder, PROBLEMS), problems);
      writeFeatures(REFUSING);
      return true;
    },
    copy: async (tools, bundling = bundlingOf(dirname(tools))) => ({
      tools,
      files: existsSync(tools) ? await bundled(tools, join(folder, BUNDLED), bundling) : [],
    }),
    watchAgain: (tools) => rewatch(tools, join(folder, WATCHED), isFirst),
    async serve({ tools, files }, discovered) {
      // A folder for each state of tools/: the served one stays complete until the next one is, and two servers of one
      // clone write the same files.
      const next = join(folder, fingerprint(files, discovered));
      const copies = join(next, "tools");
      for (const { path, contents } of files) {
        writeIfChanged(join(copies, relative(join(folder, BUNDLED), path)), contents);
      }
      const copyOf = (path: string) => join(copies, relative(tools, path)).replace(/ts$/, "js");
      const pointToCopies = <Primitive extends { readonly path: string }>(
        primitives: readonly Primitive[],
      ): Primitive[] => primitives.map((primitive) => ({ ...primitive, path: copyOf(primitive.path) }));
      const catalog = join(next, "catalog.js");
      const { worker } = discovered;
      const discovery = {
        ...discovered,
        tools: pointToCopies(discovered.tools),
        prompts: pointToCopies(discovered.prompts),
        resources: pointToCopies(discovered.resources),
        events: pointToCopies(discovered.events),
        worker: worker && copyOf(worker),
      };
      writeAll(await render(discovery, catalog), catalog);
      writeIfChanged(join(next, "features.js"), renderFeatures(discovery, join(next, "features.js")));
      const entrypoints = join(dirname(out), "entrypoints.ts");
      writeIfChanged(entrypoints, renderEntrypoints(discovered, entrypoints));
      writeIfChanged(join(folder, FOUND), `${summary(discovered)}\n`);
      writeIfChanged(join(folder, FILES), JSON.stringify(filesOf(discovered, dirname(tools))));
      if (discovered.views.length > 0)
        writeIfChanged(join(folder, VIEWS), JSON.stringify(discovered.views.map(({ uri }) => uri).sort()));
      else rmSync(join(folder, VIEWS), { force: true });
      rmSync(join(folder, PROBLEMS), { force: true });
      const served = existsSync(current) ? readFileSync(current, "utf8") : "";
      // The file gets a new date even if its text is the same: the preview of views looks at the date, and then shows a
      // sample that was saved.
      const built = `./${relative(folder, next)}`;
      const exported = `export { default } from "${built}/catalog.js";\nexport { features } from "${built}/features.js";\n`;
      if (!writeIfChanged(current, exported)) utimesSync(current, new Date(), new Date());
      serveCurrent();
      // Keep the previous state: another server may still be bundling it.
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const isOld = entry.isDirectory() && entry.name !== relative(folder, next) && !served.includes(entry.name);
        if (isOld) rmSync(join(folder, entry.name), { recursive: true, force: true });
      }
    },
  };
}

/** Changes with everything that is served: views and skills are not among the files, but in what was discovered. */
function fingerprint(files: Copies["files"], discovered: Discovery): string {
  const hash = createHash("sha256").update(JSON.stringify(discovered));
  for (const { path, hash: contents } of files) hash.update(`${path}\n${contents}\n`);
  return hash.digest("hex").slice(0, 16);
}

function filesOf({ tools, prompts, resources, events, skills }: Discovery, project: string): Record<string, string> {
  const named = [
    ...tools.map(({ id, version, path }) => ({ name: `${id}@${version}`, path })),
    ...prompts,
    ...events,
    ...resources.map(({ about: { name }, path }) => ({ name, path })),
    ...skills.flatMap(({ name, files }) => files.map(({ path, file }) => ({ name: `${name}/${path}`, path: file }))),
  ];
  return Object.fromEntries(named.map(({ name, path }) => [name, relative(project, path).split(sep).join("/")]));
}

async function bundled(tools: string, outdir: string, bundling: Bundling): Promise<readonly OutputFile[]> {
  const { primitives, toolkits, worker } = findToolFiles(tools);
  const entries = [...primitives, ...toolkits, ...(worker ? [worker] : [])].map(({ path }) => path);
  // The bundler resolves symbolic links, and a toolkit may be one.
  const folders = [...new Set([tools, ...entries.map(dirname)])].map((folder) => realpathSync(folder) + sep);
  const isOwn = (file: string) => folders.some((folder) => file.startsWith(folder));
  const found = new Map<string, Promise<ResolveResult>>();
  // Do not copy files from outside the folder: a copy of a framework module would be a second module.
  const ownFiles: Plugin = {
    name: "own-files",
    setup: (bundler) =>
      bundler.onResolve({ filter: /.*/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind === "entry-point" || pluginData === WITHOUT_OWN_FILES) return undefined;
        if (path.startsWith(".")) {
          const file = resolve(resolveDir, path);
          return isOwn(file) ? undefined : { path: file, external: true };
        }
        // An alias or a tsconfig path may lead into tools/. Resolving is slow, so cache it.
        const key = `${path}\0${resolveDir}`;
        const resolving =
          found.get(key) ?? bundler.resolve(path, { kind, importer, resolveDir, pluginData: WITHOUT_OWN_FILES });
        found.set(key, resolving);
        const { path: file, namespace } = await resolving;
        return isOwn(file) ? { path: file, namespace } : { path, external: true };
      }),
  };
  const { outputFiles } = await build({
    ...wranglerOptions(bundling),
    absWorkingDir: import.meta.dirname,
    entryPoints: entries.map((path) => ({ in: path, out: relative(tools, path).replace(/\.ts$/, "") })),
    outbase: tools,
    outdir,
    write: false,
    splitting: true,
    // So that stack traces and breakpoints refer to the original files.
    sourcemap: "inline",
    // wrangler compiles WebAssembly.
    plugins: [ownFiles, ...wranglerPlugins(bundling, (path) => ({ contents: readFileSync(path), loader: "copy" }))],
    logLevel: "silent",
  });
  return outputFiles;
}

/** Marks what the plugin of {@link bundled} resolves, and must not handle again. */
const WITHOUT_OWN_FILES = Symbol("resolved without own files");
