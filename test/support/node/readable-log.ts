/** Shows the Worker's log in a failing test as `npm start` does, because its lines of JSON are for machines. */
import { resolve } from "node:path";
import type { Reporter } from "vitest/node";
import { readEntry, showEntry } from "../../../src/cli/start/entry.ts";
import type { DescribedError } from "../../../src/core/lib/log.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
// A failing test names its file itself.
const PLACE = { root: ROOT, fileOf: () => undefined };
/** A frame of the framework, or of vitest below the test. */
const FOREIGN = /^\s+at .*(\/src\/|node_modules\/)/;

/** Rewrites what tests print. It goes before the reporter that shows it. */
export function readableLog(): Reporter {
  return {
    onUserConsoleLog(log) {
      log.content = log.content.split("\n").map(readable).join("\n");
    },
  };
}

function readable(line: string): string {
  const entry = readEntry(line);
  if (entry === undefined) return line;
  const error = entry.error as DescribedError | undefined;
  return showEntry({ ...entry, error: error && inProject(error) }, PLACE, (_, text) => text, new Date());
}

/** vitest has found the lines of the original files already, but writes their paths without `file:`. */
function inProject({ stack, cause, ...error }: DescribedError): DescribedError {
  const frames = stack?.split("\n").filter((line) => !FOREIGN.test(line));
  return {
    ...error,
    stack: frames?.join("\n").replaceAll(`${ROOT}/`, `file://${ROOT}/`),
    cause: cause && inProject(cause),
  };
}
