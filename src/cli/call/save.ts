/** Saves the files of a result: under safe names, and never over another file. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { Mistake } from "../lib/mistake.ts";
import { extensionOf } from "./media-types.ts";
import type { ResultFile, Tool } from "./protocols/connection.ts";

/**
 * @param folder undefined: a new folder among the temporary files
 * @returns the paths, in the order of the files
 * @throws {Mistake} if they cannot be written
 */
export function saveFiles(files: readonly ResultFile[], tool: Tool, folder: string | undefined): string[] {
  if (files.length === 0) return [];
  try {
    const into = folder ?? mkdtempSync(join(tmpdir(), "trivet-"));
    mkdirSync(into, { recursive: true });
    return files.map((file) => write(into, safeName(file, tool), file.bytes));
  } catch (error) {
    throw new Mistake(`The files of the result cannot be written: ${(error as Error).message}`);
  }
}

/** A name of letters, digits, dots, dashes and underscores: no folder, no hidden file, nothing special to a shell. */
export function safeName({ name = "", type }: ResultFile, tool: Pick<Tool, "name">): string {
  const clean = name
    .replace(/%[0-9a-f]{2}/gi, "-")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .slice(-80)
    .replace(/^[.-]+|[.-]+$/g, "");
  const stem = clean === "" ? tool.name.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80) : clean;
  return extname(stem) === "" ? stem + extensionOf(type) : stem;
}

/** Writes a new file: `chart.png`, or `chart-2.png` if there is one. */
function write(folder: string, name: string, bytes: Uint8Array): string {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? name : `${stem}-${number}${extension}`);
    try {
      // "wx": fails if it exists, also as a link that leads elsewhere.
      writeFileSync(path, bytes, { flag: "wx" });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || number > 9_999) throw error;
    }
  }
}
