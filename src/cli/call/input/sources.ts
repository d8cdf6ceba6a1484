/** Reads files, relative to the folder in which the command was typed, and stdin. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Io } from "../../lib/io.ts";
import { Mistake } from "../../lib/mistake.ts";
import type { Sources } from "./read.ts";

/** The path, from the folder in which the command was typed: npm runs scripts in the folder of package.json. */
export function fromHere(path: string, { cwd, env: { INIT_CWD, npm_lifecycle_event: script } }: Io): string {
  return resolve(script === "call" && INIT_CWD ? INIT_CWD : cwd, path);
}

export function sourcesOf(io: Io, { isTTY, fd }: { readonly isTTY?: boolean; readonly fd: number }): Sources {
  return {
    file(path) {
      try {
        return readFileSync(fromHere(path, io), "utf8");
      } catch {
        throw new Mistake(`There is no file ${path}: write @@ for a text that begins with @.`);
      }
    },
    stdin() {
      if (isTTY) io.console.error("Reading stdin: end it with Ctrl+D.");
      return readFileSync(fd, "utf8");
    },
  };
}
