/** The thread in which tool files are evaluated and inspected: definitions hold functions, which cannot leave it. */
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { cannotLoad, failureInWords, type Job } from "./evaluate.ts";
import { type Inspected, inspectTool, inspectToolkit } from "./inspect.ts";

for (const { bundle, source } of workerData as readonly Job[]) {
  let inspected: Inspected;
  try {
    const exports = await import(pathToFileURL(bundle).href);
    inspected = "tool" in source ? inspectTool(exports, source) : inspectToolkit(exports, source);
  } catch (error) {
    inspected = cannotLoad(failureInWords(error));
  }
  // A rejection that nobody handles ends the thread: here it still falls on the file that caused it.
  await setImmediate();
  parentPort?.postMessage(inspected);
}
