/** The thread that evaluates and inspects tool files. Inspection runs here because functions cannot leave a thread. */
import { realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { cannotLoad, describeFailure, type Job } from "./evaluate.ts";
import { inspectPrompt, inspectResource } from "./inspect-offers.ts";
import { type Inspected, inspectTool, inspectToolkit } from "./inspect-tool.ts";
import { inspectWorker } from "./inspect-worker.ts";
import { frameOf } from "./positions.ts";

function inspect(exports: Record<string, unknown>, source: Job["source"]): Inspected | Promise<Inspected> {
  if (!("kind" in source)) return inspectToolkit(exports, source);
  switch (source.kind) {
    case "tool":
      return inspectTool(exports, source);
    case "prompt":
      return inspectPrompt(exports);
    case "resource":
      return inspectResource(exports);
    case "worker":
      return inspectWorker(exports, source);
  }
}

/** Names the line of an exception, and its file if that is a helper or a package that the file imports. */
function loadFailure(error: unknown, path: string): Inspected {
  const stack = error instanceof Error ? String(error.stack) : "";
  const frames = stack.split("\n").flatMap((line) => frameOf(line) ?? []);
  // Symbolic links are resolved in source maps.
  const file = realpathSync(path);
  const own = frames.find((frame) => frame.path === file);
  const [first] = frames;
  const where =
    first && first !== own ? ` (${relative(dirname(dirname(dirname(file))), first.path)}:${first.line})` : "";
  return cannotLoad(`${describeFailure(error)}${where}`, own?.line);
}

for (const { bundle, source } of workerData as readonly Job[]) {
  let inspected: Inspected;
  try {
    const exports = await import(pathToFileURL(bundle).href);
    inspected = await inspect(exports, source);
  } catch (error) {
    inspected = loadFailure(error, source.path);
  }
  // An unhandled rejection ends the thread. Wait for it here, so that it is blamed on the file that caused it.
  await setImmediate();
  try {
    parentPort?.postMessage(inspected);
  } catch (error) {
    // The definition has a value that cannot be cloned, such as a function.
    parentPort?.postMessage(cannotLoad(describeFailure(error)));
  }
}
