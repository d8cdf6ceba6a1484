/** Rewrites the stack of an error in the Worker's log to the lines of the original files. */
import { relative, sep } from "node:path";
import { type Frame, frameOf } from "../../discovery/lib/positions.ts";

/**
 * @param stack  as V8 writes it, with the positions of the bundle
 * @param root   the project's folder; files below it are named relative to it
 * @returns the frames only, `    at inner (tools/kit/add.ts:5:9)`. If some are of tools/, those of the framework and
 *   what called it are left out: the mistake is not there
 */
export function originalFrames(stack: string, root: string): string[] {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const found = frames.map((line) => ({ line, frame: readFrame(line) }));
  const nameOf = ({ path }: Frame) => relative(root, path).split(sep).join("/");
  const last = found.findLastIndex(({ frame }) => frame !== undefined && nameOf(frame).startsWith("tools/"));
  const isOurs = (frame: Frame | undefined) => frame !== undefined && nameOf(frame).startsWith("src/");
  const shown = last === -1 ? found : found.slice(0, last + 1).filter(({ frame }) => !isOurs(frame));
  return shown.map(({ line, frame }) => {
    if (frame === undefined) return line;
    const { caller, line: row, column } = frame;
    const position = `${nameOf(frame)}:${row}:${column}`;
    return /\S at$|^\s*at$/.test(caller) ? `${caller} ${position}` : `${caller} (${position})`;
  });
}

/** @returns undefined if it cannot be read: a line that looks like a frame may name a file that does not exist */
function readFrame(line: string): Frame | undefined {
  try {
    return frameOf(line);
  } catch {
    return undefined;
  }
}
