/**
 * Wrangler's command line in this process, loaded once for all commands of a test file: starting it takes much longer
 * than what a command does. What it needs of a process (a login, a folder) is tested with wrangler as a process.
 */
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname } from "node:path";
import { format } from "node:util";
import type { Ended, Io } from "../../../src/cli/lib/io.ts";

type CommandLine = (args: readonly string[]) => Promise<void>;
let loaded: CommandLine | undefined;

/**
 * Wrangler exports functions, but not its command line: this loads its file with one more line, which does. With a global
 * `vitest`, as its own tests have, it leaves the connection of this process to vitest open.
 */
function load(): CommandLine {
  const path = createRequire(import.meta.url).resolve("wrangler");
  const wrangler = new Module(path) as Module & { paths: string[]; _compile(code: string, path: string): void };
  wrangler.filename = path;
  wrangler.paths = (Module as unknown as { _nodeModulePaths(folder: string): string[] })._nodeModulePaths(
    dirname(path),
  );
  wrangler._compile(`"use strict";const vitest = {};${readFileSync(path, "utf8")}\nexports.commandLine = main;`, path);
  return (wrangler.exports as { commandLine: CommandLine }).commandLine;
}

const OUT = ["log", "info", "debug", "table"] as const;
const ERR = ["warn", "error"] as const;

/** The `node` of an {@link Io} that may only run wrangler. Commands run one after the other. */
export function wranglerHere(env: Record<string, string> = {}): Io["node"] {
  return async ([script = "", ...args], options): Promise<Ended> => {
    if (!script.endsWith("/wrangler.js")) throw new Error(`this script may run no other than wrangler: ${script}`);
    loaded ??= load();
    const ended = { status: 0, stdout: "", stderr: "" };
    const [before, methods, code] = [{ ...process.env }, { ...console }, process.exitCode];
    const printTo =
      (stream: "stdout" | "stderr") =>
      (...words: unknown[]) => {
        ended[stream] += `${format(...words)}\n`;
      };
    for (const name of OUT) console[name] = printTo("stdout");
    for (const name of ERR) console[name] = printTo("stderr");
    Object.assign(process.env, { WRANGLER_SEND_METRICS: "false", CI: "true" }, env, options.env);
    try {
      await loaded(args);
    } catch {
      // It has said why.
      ended.status = 1;
    } finally {
      Object.assign(console, methods);
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
      process.exitCode = code;
    }
    return ended;
  };
}
