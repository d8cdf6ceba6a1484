/**
 * Runs the tests against each fault of mutants.ts, in a copy of the working tree: first the files that should notice it,
 * and if they do not, the whole fast tier. Called by `npm run faults mutants`.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { execFileSync, spawnSync } from "../../support/node/processes.ts";
import { MUTANTS, type Mutant } from "./mutants.ts";
import { withFault } from "./place.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const PROJECTS = ["unit", "worker", "node"];
/** Left out: it looks for the text that a fault has replaced, so it fails with each, and says nothing of `src`. */
const TEST_OF_LIST = "test/faults/mutants/mutants.unit.test.ts";

/** @param names of faults; none for all */
export function runMutants(names: readonly string[]): void {
  const unknown = names.find((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown !== undefined)
    throw new Error(`there is no fault ${unknown}: test/faults/mutants/mutants.ts has the names`);
  const mutants = names.length === 0 ? MUTANTS : MUTANTS.filter(({ name }) => names.includes(name));
  const copy = copyOfTree();
  execFileSync(process.execPath, ["src/discovery/cli.ts"], { cwd: copy, stdio: ["ignore", "ignore", "inherit"] });

  // A test that fails without a fault would seem to notice each.
  const broken = firstFailure(copy, [...new Set(mutants.flatMap(({ caughtBy }) => caughtBy))]);
  if (broken !== undefined) throw new Error(`without any fault, there fails already: ${broken}`);
  let green = 0;
  for (const mutant of mutants) {
    const caught = caughtIn(copy, mutant);
    if (caught === undefined) green += 1;
    console.log(caught === undefined ? `GREEN ${mutant.name}: ${mutant.breaks}` : `red   ${mutant.name}: ${caught}`);
  }
  console.log(`${mutants.length - green} red, ${green} green`);
  if (green === 0) return;
  console.log("No test of the fast tier notices a GREEN fault: write one that does, and name its file in caughtBy.");
  process.exitCode = 1;
}

/** @returns the first test that fails with the fault; undefined if none does */
function caughtIn(copy: string, mutant: Mutant): string | undefined {
  const { file, text } = withFault(mutant, copy);
  const path = join(copy, file);
  const right = readFileSync(path, "utf8");
  writeFileSync(path, text);
  try {
    return firstFailure(copy, mutant.caughtBy) ?? firstFailure(copy, []);
  } finally {
    writeFileSync(path, right);
  }
}

/** The working tree as it is, with changes that are not committed, in a folder that is removed when this process ends. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "trivet-mutants-"));
  // Also if it is interrupted.
  process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  for (const file of new Set(String(listed).split("\0"))) {
    // One that was removed, and is not committed yet, is still listed.
    if (file === "" || file === TEST_OF_LIST || !existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { recursive: true, verbatimSymlinks: true });
  }
  // Each package is a link, and the folder is not: caches are in it, and what is built with a fault must not get there.
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name.startsWith(".") && name !== ".bin") continue;
    symlinkSync(join(ROOT, "node_modules", name), join(copy, "node_modules", name));
  }
  return copy;
}

/** The part of vitest's JSON report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/**
 * @param files of tests; none for the whole fast tier
 * @returns the first test that fails; undefined if all pass
 */
function firstFailure(copy: string, files: readonly string[]): string | undefined {
  const output = join(copy, "report.json");
  rmSync(output, { force: true });
  // Loading the plugin of the other projects takes longer than most unit tests.
  const isUnit = files.length > 0 && files.every((file) => file.endsWith(".unit.test.ts"));
  const projects = (isUnit ? ["unit"] : PROJECTS).flatMap((name) => ["--project", name]);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      ...["run", "--config", "test/vitest.config.ts", "--bail", "1", ...projects],
      ...["--reporter", "json", "--outputFile", output, ...files],
    ],
    { cwd: copy, encoding: "utf8", maxBuffer: 1e9 },
  );
  const report: Report = existsSync(output) ? JSON.parse(readFileSync(output, "utf8")) : { testResults: [] };
  const failures = report.testResults
    .filter((result) => result.status === "failed")
    .map(({ name, message, assertionResults }) => {
      const test = assertionResults.find((result) => result.status === "failed");
      // Without a test that failed, it could not be loaded, or what it prepares has failed.
      const said = test ? `${test.fullName}: ${test.failureMessages[0]}` : message;
      return { file: relative(copy, name), why: said.split("\n", 1)[0] };
    });
  // Files that were running when a test of another failed have no reason.
  const failure = failures.find(({ why }) => why) ?? failures[0];
  if (failure) return `${failure.file}: ${failure.why || "did not finish"}`;
  if (status === 0 && report.testResults.length >= files.length) return undefined;
  throw new Error(`vitest ran no test that fails, and did not pass (${status}):\n${stdout}\n${stderr}`);
}
