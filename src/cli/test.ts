/**
 * `npm test [-- PATH…]`: runs discovery, the tests of `tools/` or of one folder or file, and the type checker. The
 * tests run even if the types have mistakes, which are shown after the tests. The exit code is 1 if a test fails or a
 * type is wrong. Formatting is left to `npm run check`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

const ROOT = resolve(import.meta.dirname, "../..");
const asked = process.argv.slice(2);

// Without a catalogue there is nothing to call, and discovery has said what to correct.
if ((await codeOf(node(["src/discovery/cli.ts"]))) !== 0) process.exit(1);

// The types are checked while the tests run; those of views for a browser.
const views = globSync("tools/*/*.view.{ts,tsx}", { cwd: ROOT });
const pretty = process.stdout.isTTY ? ["--pretty"] : [];
const checks = [".", ...(views.length > 0 ? ["src/features/views/browser"] : [])].map((project) =>
  node(["node_modules/typescript/bin/tsc", "-p", project, ...pretty], true),
);
const found = checks.map((check) => check.stdout && text(check.stdout));
const checked = checks.map(codeOf);
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts", "--project", "tools"];
// It is not a failure if no tool has a test. A folder that was asked for and has none is probably misspelled.
const tested = await codeOf(node([...vitest, ...(asked.length > 0 ? asked : ["--passWithNoTests"])]));
const isTyped = (await Promise.all(checked)).every((code) => code === 0);
if (!isTyped) console.error(`\nThe types have mistakes:\n\n${(await Promise.all(found)).join("")}`);
process.exitCode = tested === 0 && isTyped ? 0 : 1;

/** @param isRead whether its output is read here, and not shown */
function node(args: readonly string[], isRead = false): ChildProcess {
  const env = {
    // Loading vitest and its plugin takes half as long from the cache.
    NODE_COMPILE_CACHE: resolve(ROOT, "node_modules/.cache/node"),
    ...process.env,
    // So that vitest does not run discovery once more (test/support/node/global-setup.ts).
    TOOLS_DISCOVERED: "true",
  };
  return spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["inherit", isRead ? "pipe" : "inherit", "inherit"] });
}

/** The exit code; null if a signal ended the process. */
function codeOf(child: ChildProcess): Promise<number | null> {
  return new Promise((ended, failed) => child.once("error", failed).once("close", ended));
}
