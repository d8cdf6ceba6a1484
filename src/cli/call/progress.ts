/** Shows on stderr how far a call is: in one line that changes on a terminal, else as lines. */
import { plain } from "../lib/plain.ts";

/** The parts of `process.stderr` that are used. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Display {
  /** Replaces the line of the progress. */
  progress(text: string): void;
  /** Writes lines that stay. */
  say(text: string): void;
  /** Removes the line of the progress. */
  clear(): void;
}

/** Before the first column; erases the line (ECMA-48, EL). */
const ERASE = "\r\u001b[2K";

export function displayOn(screen: Screen): Display {
  let shown = "";
  const clear = () => {
    if (screen.isTTY && shown !== "") screen.write(ERASE);
    shown = "";
  };
  return {
    progress(text) {
      const line = plain(text).replaceAll("\n", " ");
      if (line === shown) return;
      if (!screen.isTTY) screen.write(`${line}\n`);
      else screen.write(ERASE + line.slice(0, (screen.columns ?? 80) - 1));
      shown = line;
    },
    say(text) {
      clear();
      screen.write(`${plain(text)}\n`);
    },
    clear,
  };
}
