/** Shows the progress of a call on stderr: in one line that changes on a terminal, otherwise line by line. */
import { plain } from "../lib/plain.ts";

/** The parts of `process.stderr` that are used. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Moves to the first column, and erases the line (ECMA-48, EL). */
const ERASE = "\r\u001b[2K";

export function displayOn(screen: Screen) {
  let shown = "";
  let isPaused = false;
  const waiting: string[] = [];
  const clear = () => {
    if (screen.isTTY && shown !== "") screen.write(ERASE);
    shown = "";
  };
  return {
    /** Replaces the last progress; without a terminal, adds a line. */
    progress(text: string) {
      const line = plain(text).replaceAll("\n", " ");
      if (line === shown || isPaused) return;
      if (!screen.isTTY) screen.write(`${line}\n`);
      else screen.write(ERASE + line.slice(0, (screen.columns ?? 80) - 1));
      shown = line;
    },
    /** Writes lines that stay. */
    say(text: string) {
      if (isPaused) return void waiting.push(text);
      clear();
      screen.write(`${plain(text)}\n`);
    },
    clear,
    /** Shows nothing while something else uses the screen, such as a question. Lines that stay are shown afterwards. */
    async pausedFor<Result>(work: () => Promise<Result>): Promise<Result> {
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
