/** Reads files, relative to the folder in which the command was typed, and stdin. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Mistake } from "../../lib/mistake.ts";
import type { Sources } from "./read.ts";

/** The path, from the folder in which the command was typed: npm runs scripts in the folder of package.json. */
export function fromHere(path: string): string {
  const { INIT_CWD, npm_lifecycle_event: script } = process.env;
  return resolve(script === "call" && INIT_CWD ? INIT_CWD : ".", path);
}

export const SOURCES: Sources = {
  file(path) {
    try {
      return readFileSync(fromHere(path), "utf8");
    } catch {
      throw new Mistake(`There is no file ${path}: write @@ for a text that begins with @.`);
    }
  },
  stdin() {
    if (process.stdin.isTTY) console.error("Reading stdin: end it with Ctrl+D.");
    return readFileSync(process.stdin.fd, "utf8");
  },
};
