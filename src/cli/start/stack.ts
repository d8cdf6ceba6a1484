/** Rewrites the stack of an error in the Worker's log to the lines of the original files. */
import { relative, sep } from "node:path";
import { type Frame, frameOf } from "../../build/lib/positions.ts";

/**
 * @param stack  as V8 writes it, with the positions of the bundle
 * @param root   the project's folder; files below it are named relative to it
 * @returns the frames only, `    at inner (tools/kit/add.ts:5:9)`. Frames of the framework below those of tools/ are
 *   left out: they are the same for each call
 */
export function originalFrames(stack: string, root: string): string[] {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const found = frames.map((line) => ({ line, frame: readFrame(line) }));
  const nameOf = ({ path }: Frame) => relative(root, path).split(sep).join("/");
  const last = found.findLastIndex(({ frame }) => frame !== undefined && nameOf(frame).startsWith("tools/"));
  const shown = last === -1 ? found : found.slice(0, last + 1);
  return shown.map(({ line, frame }) => {
    if (frame === undefined) return line;
    const { caller, line: row, column } = frame;
    const position = `${nameOf(frame)}:${row}:${column}`;
    return /\S at$|^\s*at$/.test(caller) ? `${caller} ${position}` : `${caller} (${position})`;
  });
}

/** A line that looks like a frame may name a file that no machine has. */
function readFrame(line: string): Frame | undefined {
  try {
    return frameOf(line);
  } catch {
    return undefined;
  }
}
