/**
 * Four groups of tests, distinguished by name: `*.unit.test.ts` run in plain Node without preparation;
 * `*.node.test.ts` need Node for processes, builds or browsers; all other `*.test.ts` run in workerd with the fixture
 * tools; and a fork's own tests are next to its tools.
 *
 * With `--mode slow`, the slow tier (CONTRIBUTING.md, Tests): `*.slow.test.ts`, which are like `*.node.test.ts`, and all
 * files with random cases, of which they then try the full number.
 */
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { defineConfig, type Plugin, type TestProjectConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { type Bundling, bundlingOf, resolveAlias, wranglerOptions } from "../src/discovery/lib/bundling.ts";
import { databasesIn } from "../src/discovery/settings/databases.ts";
import { settingsPath } from "../src/discovery/settings/find-settings-file.ts";
import { readSettingsFile } from "../src/discovery/settings/read-settings-file.ts";
import { countAttacks } from "./support/node/attacks/reporter.ts";
import { readableLog } from "./support/node/readable-log.ts";
import { testsOf } from "./support/node/watched.ts";
import type {} from "./support/provided-context.ts";

const ROOT = resolve(import.meta.dirname, "..");
// Tests start some 400 processes that load wrangler, esbuild or all of discovery: a cache makes them twice as fast.
process.env.NODE_COMPILE_CACHE ??= resolve(ROOT, "node_modules/.cache/node");

// Only ends tests that hang. Speed is the benchmark's subject, on an otherwise idle machine.
const TIMEOUTS = { testTimeout: 300_000, hookTimeout: 300_000 };

/** Whether the slow tier runs: its builds are wrangler's own (support/node/build.ts). */
const isSlow = /--mode[ =]slow\b/.test(process.argv.join(" "));
if (!isSlow) process.env.QUICK_BUILDS = "true";

/** Options by which a project runs those of its files that belong to the tier. */
function ofTier(pattern: string, exclude: string[] = []) {
  const withCases = (file: string) => readFileSync(resolve(ROOT, file), "utf8").includes("support/tier.ts");
  const matching = globSync(pattern, { cwd: ROOT, exclude: [...exclude, "**/node_modules/**"] });
  const include = isSlow ? matching.filter((file) => /\.slow\.test\.ts$/.test(file) || withCases(file)) : [pattern];
  return { include, exclude: [...exclude, "**/node_modules/**"], provide: { slow: isSlow }, ...TIMEOUTS };
}

const UNIT: TestProjectConfiguration = {
  root: ROOT,
  test: { name: "unit", pool: "threads", isolate: false, ...ofTier("test/**/*.unit.test.ts") },
};

const NODE: TestProjectConfiguration = {
  root: ROOT,
  resolve: { alias: { "cloudflare:workers": resolve(ROOT, "test/support/node/cloudflare-workers.ts") } },
  test: {
    name: "node",
    // One process for many files: loading wrangler takes a second and a half.
    isolate: false,
    setupFiles: "test/support/node/each-file.ts",
    ...ofTier(`test/**/*.${isSlow ? "{node,slow}" : "node"}.test.ts`),
  },
};

/** Has the tests' bundler do what wrangler does, and it does not: aliases, and decorators, which workerd cannot read. */
function likeWrangler(bundling: Bundling): Plugin {
  const { alias, project } = bundling;
  return {
    name: "like-wrangler",
    enforce: "pre",
    resolveId: (id) => (Object.hasOwn(alias, id) ? resolveAlias(alias[id] as string, project) : undefined),
    transform: {
      filter: { id: /\/tools\/.*\.tsx?$/, code: /@\w/ },
      async handler(_, path) {
        const { build } = await import("esbuild");
        const options = { ...wranglerOptions(bundling), bundle: false, entryPoints: [path] };
        const { outputFiles } = await build({ ...options, write: false, outdir: ROOT, sourcemap: "external" });
        const [map = "", code = ""] = ["map", "js"].map(
          (end) => outputFiles.find((file) => file.path.endsWith(end))?.text,
        );
        return { code, map };
      },
    },
  };
}

/** The projects that run in workerd: `tools` and `worker`. */
async function inWorkerd(): Promise<TestProjectConfiguration[]> {
  const { cloudflareTest, readD1Migrations } = await import("@cloudflare/vitest-plugin");
  type Objects = Record<string, { className: string; useSQLite: boolean }>;
  const worker = (
    configPath: string,
    bindings: Record<string, string>,
    durableObjects: Objects = {},
    r2Buckets: string[] = [],
  ) =>
    cloudflareTest({
      main: resolve(ROOT, "src/index.ts"),
      wrangler: { configPath },
      // Otherwise workerd prints a stack for each connection that a test breaks: megabytes of them.
      verbose: false,
      // Bindings without a local form, such as Workers AI, would need a login: a test replaces what it uses of them.
      remoteBindings: false,
      // Access is the subject of test/access; everywhere else anyone may call without a rate limit, and upload files.
      miniflare: {
        bindings: { PUBLIC: "true", PUBLIC_UPLOADS: "true", RATE_PER_MINUTE: "", ...bindings },
        durableObjects,
        r2Buckets,
      },
    });
  const { environments } = await readSettingsFile(ROOT);
  const bundling = bundlingOf(
    ROOT,
    environments.map(({ config }) => config),
  );
  const globalSetup = "test/support/node/global-setup.ts";
  const [top] = environments;
  const databases = top === undefined ? [] : databasesIn(top.config, ROOT);
  const migrations = databases.map(async ({ binding, folder, pattern, table }) => {
    const files = await readD1Migrations({ projectPath: ROOT, migrationsDir: folder, migrationsPattern: pattern });
    return { binding, folder, table, files };
  });
  return [
    {
      root: ROOT,
      // Like `npm start`: with the owner's settings, and everyone has all scopes.
      plugins: [worker(settingsPath(ROOT), { LOCAL: "true" }), likeWrangler(bundling)],
      // The plugin reads rules and definitions itself.
      resolve: { tsconfigPaths: true },
      test: {
        name: "tools",
        include: ["tools/**/*.test.ts"],
        // One Worker for all files: a new one for each takes longer than most tests.
        isolate: false,
        globalSetup,
        setupFiles: databases.length > 0 ? ["test/support/apply-test-migrations.ts"] : [],
        provide: { migrations: await Promise.all(migrations) },
        ...TIMEOUTS,
      },
    },
    {
      root: ROOT,
      // With the tests' own settings: wrangler.toml belongs to its owner, and must not make a test fail here.
      plugins: [
        worker(
          "./test/support/wrangler.toml",
          { FIXTURE_SECRET: "from the worker", FIXTURE_SETTING: "a setting" },
          {
            // Not named SESSIONS, or the Worker itself would keep its sessions there.
            CONTRACT_SESSIONS: { className: "Sessions", useSQLite: true },
            FILE_RECORDS: { className: "FileRecords", useSQLite: true },
          },
          ["FILES"],
        ),
      ],
      resolve: {
        alias: {
          "#catalog": resolve(ROOT, "test/fixtures/generated/catalog.ts"),
          "#views": resolve(ROOT, "test/fixtures/generated/views.ts"),
          "#features": resolve(ROOT, "test/fixtures/generated/features.ts"),
          "#entrypoints": resolve(ROOT, "test/fixtures/generated/entrypoints.ts"),
        },
      },
      test: {
        name: "worker",
        // One Worker for all files, whose tests use their own principals and keys: a new one takes 4 s.
        isolate: false,
        globalSetup,
        ...ofTier("test/**/*.test.ts", ["**/*.{node,slow,unit}.test.ts"]),
      },
    },
  ];
}

/**
 * Starts what takes longest first. The files of workerd run one after the other beside those of Node, so they must not
 * wait for them; and a file that mostly waits, begun last, would be waited for alone.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      if (project.name === "worker") return 0;
      return WAITING.some((name) => moduleId.endsWith(`/${name}.node.test.ts`)) ? 1 : 2;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
/** Files that mostly wait, by name. */
const WAITING = ["revoked", "mistakes", "start", "forks", "call"];

/** Loading the plugin takes longer than all unit tests, so a run of unit tests skips it. */
const asked = process.argv.join(" ").match(/--project[ =]\S+/g) ?? [];
const isOfTools = asked.length > 0 && asked.every((project) => project.endsWith("tools"));
const isUnitOnly = asked.length > 0 && asked.every((project) => project.endsWith("unit"));

export default defineConfig({
  root: ROOT,
  test: {
    // Logs of passing tests are not shown; reporters and scripts print the figures.
    silent: "passed-only",
    // The place of a failed `callTool` is the line of the test that calls it, and of what a tool throws a line of tools/.
    onStackTrace: (_, { file }) => !file.includes(isOfTools ? "/src/" : "/src/testing/"),
    // The plugin loses the source maps of cached modules, and failures would point to wrong lines.
    fsModuleCache: false,
    // Some tests wait by design, so only very slow ones get a line.
    slowTestThreshold: 30_000,
    reporters: [readableLog(), "default", countAttacks()],
    // Most files wait for processes and timers, so run four at once even on two cores, where vitest would run one.
    maxWorkers: Math.max(4, availableParallelism()),
    // Tests call the Worker over HTTP, so imports do not tell which tests a saved file affects.
    watchTriggerPatterns: [{ pattern: /\/(src|tools|test\/fixtures)\/.*\.ts$/, testsToRun: testsOf }],
    sequence: { sequencer: LongestFirst },
    projects: isUnitOnly ? [UNIT] : [UNIT, NODE, ...(await inWorkerd())],
  },
});
