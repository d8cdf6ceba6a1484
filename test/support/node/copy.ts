/**
 * Copies this project without the parts that belong to its owner, so that a test can put another owner's there and run
 * the framework's tests in the copy.
 */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { spawn } from "./processes.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** Without tools/ and wrangler.toml: a copy starts without tools, and each run writes its own wrangler.toml. */
const ENTRIES = [
  ...[".agents", ".ci", ".claude", ".github", ".gitignore", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md"],
  ...["LICENSE", "README.md", "biome.json", "docs", "package.json", "package-lock.json", "src", "test"],
  "tsconfig.json",
];
/** Files that discovery generates again in the copy. */
const GENERATED = ["src/generated", "test/fixtures/generated"].map((path) => join(ROOT, path));

export interface Ran {
  readonly tests: number;
  /** Names of failed tests with their errors, and errors of files that did not load. */
  readonly failed: readonly string[];
}

export interface Copy {
  readonly root: string;
  write(path: string, text: string): void;
  /** Sets the package's name. */
  rename(name: string): void;
  /**
   * Runs tests.
   * @param files    test files of the framework, relative to the project
   * @param settings text of the copy's wrangler.toml
   */
  run(files: readonly string[], settings: string): Promise<Ran>;
  remove(): void;
}

/** @param parent folder to create it in */
export function copyProject(parent = tmpdir()): Copy {
  const root = mkdtempSync(join(parent, "trivet-copy-"));
  for (const entry of ENTRIES.filter((name) => existsSync(join(ROOT, name)))) {
    const filter = (path: string) => !GENERATED.includes(path) && !path.endsWith("/node_modules");
    cpSync(join(ROOT, entry), join(root, entry), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  return {
    root,
    write,
    rename: (name) =>
      write(
        "package.json",
        readFileSync(join(root, "package.json"), "utf8").replace(/"name": ".*"/, `"name": "${name}"`),
      ),
    run(files, settings) {
      write("wrangler.toml", settings);
      return runTests(root, files);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * Runs test files of a project in a process that does not inherit the state of the current test run.
 *
 * @param root a folder with the project's `test/`
 */
export function runTests(root: string, files: readonly string[]): Promise<Ran> {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|MODE$|DEV$|PROD$)/.test(name));
  // With unit tests alone, vitest.config.ts does not load what runs workerd, which takes most of the time.
  const isUnitOnly = files.every((file) => file.endsWith(".unit.test.ts"));
  const projects = isUnitOnly ? ["unit"] : ["unit", "worker", "node", "tools"];
  const words = [...files, ...projects.map((name) => `--project=${name}`)];
  const child = spawn(process.execPath, [join(root, "test/support/node/copy-run.ts"), ...words], {
    cwd: root,
    env: Object.fromEntries(own),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  return new Promise((ran, failed) => {
    child.once("error", failed);
    child.once("close", () => {
      const results = join(root, "ran.json");
      if (existsSync(results)) ran(JSON.parse(readFileSync(results, "utf8")));
      else failed(new Error(`the copy's tests did not run:\n${printed}`));
      rmSync(results, { force: true });
    });
  });
}
