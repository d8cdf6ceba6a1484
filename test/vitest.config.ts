/**
 * Four groups of tests, told apart by their names: `*.unit.test.ts` in plain Node, with nothing to prepare;
 * `*.node.test.ts` what needs Node (processes, builds, browsers); any other `*.test.ts` in workerd, with the fixture
 * tools; and the fork's own, beside its tools.
 */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { countAttacks } from "./support/node/attacks/reporter.ts";
import { testsOf } from "./support/node/watched.ts";

const ROOT = resolve(import.meta.dirname, "..");
// Tests start some 400 processes that load wrangler, esbuild or the whole of discovery: from the cache, half as slowly.
process.env.NODE_COMPILE_CACHE ??= resolve(ROOT, "node_modules/.cache/node");

// Ends a test that hangs, and says nothing of how fast one must be: that is the benchmark's, on a machine with nothing
// else to do.
const PATIENCE = { testTimeout: 300_000, hookTimeout: 300_000 };

const UNIT: TestProjectConfiguration = {
  root: ROOT,
  test: { name: "unit", include: ["test/**/*.unit.test.ts"], pool: "threads", isolate: false, ...PATIENCE },
};

const NODE: TestProjectConfiguration = {
  root: ROOT,
  test: { name: "node", include: ["test/**/*.node.test.ts"], ...PATIENCE },
};

/** Those that run in workerd: `tools` and `worker`. */
async function inWorkerd(): Promise<TestProjectConfiguration[]> {
  const { cloudflareTest } = await import("@cloudflare/vitest-plugin");
  type Objects = Record<string, { className: string; useSQLite: boolean }>;
  const worker = (configPath: string, bindings: Record<string, string>, durableObjects: Objects = {}) =>
    cloudflareTest({
      main: resolve(ROOT, "src/index.ts"),
      wrangler: { configPath },
      // Otherwise workerd prints a stack for each connection that a test breaks: megabytes of them.
      verbose: false,
      // Who may call is the subject of test/access; elsewhere anyone may, as often as they like.
      miniflare: { bindings: { PUBLIC: "true", RATE_PER_MINUTE: "", ...bindings }, durableObjects },
    });
  const globalSetup = "test/support/node/discovered.ts";
  return [
    {
      root: ROOT,
      // As under `npm start`: with the settings of whoever owns wrangler.toml and tools/, and those that demand scopes
      // can be called here as well.
      plugins: [worker("./wrangler.toml", { LOCAL: "true" })],
      test: { name: "tools", include: ["tools/**/*.test.ts"], globalSetup, ...PATIENCE },
    },
    {
      root: ROOT,
      // With settings of the tests' own: what wrangler.toml says is its owner's affair, and must fail no test here.
      plugins: [
        worker(
          "./test/support/wrangler.toml",
          { FIXTURE_SECRET: "from the worker", FIXTURE_SETTING: "a setting" },
          // Under a name of its own: with SESSIONS the Worker itself would keep its sessions there.
          { CONTRACT_SESSIONS: { className: "Sessions", useSQLite: true } },
        ),
      ],
      resolve: { alias: { "#catalog": resolve(ROOT, "test/fixtures/generated/catalog.ts") } },
      test: {
        name: "worker",
        include: ["test/**/*.test.ts"],
        exclude: ["**/*.{node,unit}.test.ts", "**/node_modules/**"],
        // One Worker for all files, whose tests use principals and keys of their own: a new one for each takes 4 s.
        isolate: false,
        globalSetup,
        ...PATIENCE,
      },
    },
  ];
}

/** Loading the plugin takes longer than all unit tests: a run of those alone does without. */
const asked = process.argv.join(" ").match(/--project[ =]\S+/g) ?? [];
const isUnitOnly = asked.length > 0 && asked.every((project) => project.endsWith("unit"));

export default defineConfig({
  root: ROOT,
  test: {
    // What a passing test logs is its own affair; figures are printed by reporters of failures and by scripts.
    silent: "passed-only",
    // So is how long one waits that waits by design: only what takes very long has a line.
    slowTestThreshold: 30_000,
    reporters: ["default", countAttacks()],
    // Most files wait, for processes and for time: two go side by side on two cores, where one is what vitest would do.
    maxWorkers: 4,
    // What a saved file touches, where imports do not tell: tests call the Worker by HTTP.
    watchTriggerPatterns: [{ pattern: /\/(src|tools|test\/fixtures)\/.*\.ts$/, testsToRun: testsOf }],
    projects: isUnitOnly ? [UNIT] : [UNIT, NODE, ...(await inWorkerd())],
  },
});
