/**
 * Finds the original position of a line of a bundle: esbuild and wrangler write a source map, `<bundle>.map`, next to
 * each. (Node can apply source maps itself, but reads one only when it loads the module, and here another process may
 * load it.)
 */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export interface Position {
  /** An absolute path. */
  readonly path: string;
  /** The first line is 1, and so is the first column. */
  readonly line: number;
  readonly column: number;
}

/** One line of a stack trace that has a position: `    at inner (file:///tmp/index.js:220:9)`. */
const FRAME = /^(\s+at )(?:(.*) \()?(file:\/\/[^()]+?):(\d+):(\d+)\)?$/;

/** A frame of a stack trace, at its original position. */
export interface Frame extends Position {
  /** `    at inner` */
  readonly caller: string;
}

/**
 * Reads one line of a stack trace.
 *
 * @returns where it is in the original file, or in the bundle if that has no map; undefined if it is not a frame of a
 *   file
 */
export function frameOf(line: string): Frame | undefined {
  const [, at = "", caller, url = "", row = "", column = ""] = FRAME.exec(line) ?? [];
  if (url === "") return undefined;
  const place = { path: fileURLToPath(url), line: Number(row), column: Number(column) };
  return { caller: caller === undefined ? at.trimEnd() : at + caller, ...(original(place) ?? place) };
}

/** @returns undefined if the bundle has no map, or the line is not from a file */
function original({ path, line, column }: Position): Position | undefined {
  const map = mapOf(`${path}.map`);
  if (map === undefined) return undefined;
  const entry = map.map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry)) return undefined;
  const source = entry.originalSource;
  return {
    path: source.startsWith("file:") ? fileURLToPath(source) : resolve(map.folder, source),
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}

interface OpenMap {
  readonly map: SourceMap;
  /** The folder that its sources are relative to. */
  readonly folder: string;
  /** When the file was written: a bundler that watches writes it again. */
  readonly writtenMs: number;
}

const open = new Map<string, OpenMap>();

function mapOf(path: string): OpenMap | undefined {
  if (!existsSync(path)) return undefined;
  const writtenMs = statSync(path).mtimeMs;
  const known = open.get(path);
  if (known?.writtenMs === writtenMs) return known;
  try {
    const payload = JSON.parse(readFileSync(path, "utf8"));
    // wrangler writes an absolute folder. `original` resolves the sources, so that Node does not have to.
    const folder = resolve(dirname(path), payload.sourceRoot ?? "");
    const made = { map: new SourceMap({ ...payload, sourceRoot: "" }), folder: realpathSync(folder), writtenMs };
    open.set(path, made);
    return made;
  } catch {
    // The bundler is writing it right now.
    return undefined;
  }
}
