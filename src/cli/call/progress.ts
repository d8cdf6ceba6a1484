/** Shows the progress of a call on stderr: in one line that changes on a terminal, otherwise line by line. */
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
  /** Shows nothing while something else uses the screen, such as a question. Lines that stay are shown afterwards. */
  pausedFor<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Before the first column; erases the line (ECMA-48, EL). */
const ERASE = "\r\u001b[2K";

export function displayOn(screen: Screen): Display {
  let shown = "";
  let isPaused = false;
  const waiting: string[] = [];
  const clear = () => {
    if (screen.isTTY && shown !== "") screen.write(ERASE);
    shown = "";
  };
  return {
    progress(text) {
      const line = plain(text).replaceAll("\n", " ");
      if (line === shown || isPaused) return;
      if (!screen.isTTY) screen.write(`${line}\n`);
      else screen.write(ERASE + line.slice(0, (screen.columns ?? 80) - 1));
      shown = line;
    },
    say(text) {
      if (isPaused) return void waiting.push(text);
      clear();
      screen.write(`${plain(text)}\n`);
    },
    clear,
    async pausedFor(work) {
      clear();
      isPaused = true;
      try {
        return await work();
      } finally {
        isPaused = false;
        for (const text of waiting.splice(0)) screen.write(`${plain(text)}\n`);
      }
    },
  };
}
