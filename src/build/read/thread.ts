/** The thread in which tool files are evaluated and inspected: definitions hold functions, which cannot leave it. */
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { cannotLoad, failureInWords, type Job } from "./evaluate.ts";
import { inspectPrompt, inspectResource } from "./inspect-offers.ts";
import { type Inspected, inspectTool, inspectToolkit } from "./inspect-tool.ts";
import { inspectWorker } from "./inspect-worker.ts";

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

for (const { bundle, source } of workerData as readonly Job[]) {
  let inspected: Inspected;
  try {
    const exports = await import(pathToFileURL(bundle).href);
    inspected = await inspect(exports, source);
  } catch (error) {
    inspected = cannotLoad(failureInWords(error));
  }
  // A rejection that nobody handles ends the thread: here it still falls on the file that caused it.
  await setImmediate();
  try {
    parentPort?.postMessage(inspected);
  } catch (error) {
    // What it says of itself holds something that cannot leave the thread, such as a function.
    parentPort?.postMessage(cannotLoad(failureInWords(error)));
  }
}
