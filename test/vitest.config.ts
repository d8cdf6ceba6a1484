/** Three groups of tests: the shipped tools' own, the Worker with fixture tools in workerd, and what needs Node. */
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { countAttacks } from "./support/node/attacks.ts";

const ROOT = resolve(import.meta.dirname, "..");
const FIXTURE_CATALOG = resolve(ROOT, "test/fixtures/generated/catalog.ts");

// The vitest plugin does not run wrangler's [build] command, so discovery is run here.
const discover = (...args: string[]) =>
  execFileSync(process.execPath, ["src/build/cli.ts", ...args], { cwd: ROOT, stdio: "inherit" });
discover();
discover("--tools", "test/fixtures/tools", "--out", FIXTURE_CATALOG);

const NODE_TESTS = [
  "test/build/**/*.test.ts",
  "test/served/**/*.test.ts",
  "test/conformance/*.test.ts",
  "test/faults/*.test.ts",
  "test/access/**/*.test.ts",
  "test/bench/*.test.ts",
  "test/keys/**/*.test.ts",
  "test/sign-in/**/*.test.ts",
  "test/*.test.ts",
];
// Ends a test that hangs, and says nothing of how fast one must be: that is the benchmark's, on a machine with nothing
// else to do.
const PATIENCE = { testTimeout: 300_000, hookTimeout: 300_000 };
type Objects = Record<string, { className: string; useSQLite: boolean }>;
const worker = (configPath: string, bindings: Record<string, string>, durableObjects: Objects = {}) =>
  cloudflareTest({
    main: resolve(ROOT, "src/index.ts"),
    wrangler: { configPath },
    // Who may call is the subject of test/access; elsewhere anyone may, as often as they like.
    miniflare: { bindings: { PUBLIC: "true", RATE_PER_MINUTE: "", ...bindings }, durableObjects },
  });

export default defineConfig({
  root: ROOT,
  test: {
    // What a passing test logs is its own affair; figures are printed by reporters of failures and by scripts.
    silent: "passed-only",
    reporters: ["default", countAttacks()],
    // Most files wait, for processes and for time: two go side by side on two cores, where one is what vitest would do.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        root: ROOT,
        // As under `npm start`: with the settings of whoever owns wrangler.toml and tools/, and those that demand scopes
        // can be called here as well.
        plugins: [worker("./wrangler.toml", { LOCAL: "true" })],
        test: { name: "tools", include: ["tools/**/*.test.ts"], ...PATIENCE },
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
        resolve: { alias: { "#catalog": FIXTURE_CATALOG } },
        test: {
          name: "worker",
          include: ["test/**/*.test.ts"],
          exclude: [...NODE_TESTS, "**/node_modules/**"],
          ...PATIENCE,
        },
      },
      {
        root: ROOT,
        test: { name: "node", include: NODE_TESTS, ...PATIENCE },
      },
    ],
  },
});
