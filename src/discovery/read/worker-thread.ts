/** The thread that evaluates and inspects tool files. Inspection runs here because functions cannot leave a thread. */
import { Console } from "node:console";
import { readFileSync, realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { suggestExport } from "../lib/meant.ts";
import { lineOfMember } from "../lib/member-line.ts";
import { type Frame, frameOf } from "../lib/positions.ts";
import { addWorkerGlobals } from "../lib/worker-globals.ts";
import { cannotLoad, describeFailure, type Job } from "./evaluate.ts";
import { inspectEvent } from "./inspect-event.ts";
import { inspectPrompt, inspectResource } from "./inspect-prompt-resource.ts";
import { inspectTool, inspectToolkit } from "./inspect-tool.ts";
import type { Inspected } from "./inspected.ts";
import type { Complaint } from "./problem.ts";

function inspect(exports: Record<string, unknown>, source: Job["source"]): Inspected | Promise<Inspected> {
  if (!("kind" in source)) return inspectToolkit(exports, source);
  switch (source.kind) {
    case "tool":
      return inspectTool(exports, source);
    case "prompt":
      return inspectPrompt(exports);
    case "resource":
      return inspectResource(exports);
    case "event":
      return inspectEvent(exports);
    case "worker":
      // It loads Hono, which hardly any other file needs.
      return import("./inspect-worker.ts").then(({ inspectWorker }) => inspectWorker(exports, source));
  }
}

/** Adds the lines of the members that complaints are about. */
function withLines(inspected: Inspected, path: string): Inspected {
  if (inspected.complaints.length === 0) return inspected;
  const text = readFileSync(path, "utf8");
  const complaints = inspected.complaints.map(({ member, ...complaint }) => ({
    ...complaint,
    line: complaint.line ?? (member === undefined ? undefined : lineOfMember(text, member)),
  }));
  return { ...inspected, complaints };
}

/** The framework's folder. If its code throws, the mistake is in the author's file that called it. */
const OURS = realpathSync(resolve(import.meta.dirname, "../..")) + sep;

/** Describes an exception while a file loads, with its line. */
async function loadFailure(error: unknown, source: Job["source"]): Promise<Inspected> {
  const { where, line, files } = placeIn(error instanceof Error ? String(error.stack) : "", source);
  const [, unknown] = /^(\S+) is not defined$/.exec(error instanceof ReferenceError ? error.message : "") ?? [];
  const meant = unknown === undefined ? undefined : await suggestExport(unknown);
  const reason = `${describeFailure(error)}${where}`;
  if (meant) return cannotLoad(`${reason}: did you mean ${meant}?`, line, `write import { ${meant} } from "#tool"`);
  const isEarly = error instanceof ReferenceError || error instanceof TypeError;
  return { ...cannotLoad(reason, line), ...(isEarly && { thrownIn: files }) };
}

/** The author's files in the stack of an exception. */
interface InStack {
  /** The line of the file that is being loaded. */
  readonly line: number | undefined;
  /** The first place if it is in another file, as ` (tools/kit/_helper.ts:3)`; else empty. */
  readonly where: string;
  /** All of them, as messages name them. */
  readonly files: readonly string[];
}

function placeIn(stack: string, { path, file: name }: Job["source"]): InStack {
  const frames = stack.split("\n").flatMap((line) => frameOf(line) ?? []);
  const theirs = frames.filter((frame) => !frame.path.startsWith(OURS));
  // Symbolic links are resolved in source maps.
  const file = realpathSync(path);
  const own = theirs.find((frame) => frame.path === file);
  const first = theirs.find((frame) => !frame.path.includes(`${sep}node_modules${sep}`)) ?? theirs[0];
  // The folder that names in messages are relative to.
  const base = realpathSync(path.slice(0, -name.length));
  const nameOf = (frame: Frame) => relative(base, frame.path).split(sep).join("/");
  const where = first && first !== own ? ` (${nameOf(first)}:${first.line})` : "";
  return { line: own?.line, where, files: theirs.map(nameOf) };
}

/** What the file that is being loaded printed, and the stacks with which it sent requests. */
let printed = "";
let requests: string[] = [];
const sink = new Writable({
  write(chunk, _encoding, done) {
    printed += chunk;
    done();
  },
});
globalThis.console = new Console(sink);
const { fetch } = globalThis;
globalThis.fetch = (...request) => {
  // The first two lines of the stack are its head and this function.
  requests.push(String(new Error().stack).split("\n").slice(2).join("\n"));
  return fetch(...request);
};

function requestWarning(stack: string, source: Job["source"]): Complaint {
  const { where, line } = placeIn(stack, source);
  const fix = "send it in run, with ctx.fetch: a Worker cannot send requests while it loads";
  return { problem: `it sends a request while it loads${where}`, fix, line };
}

addWorkerGlobals();
for (const { bundle, source } of workerData as readonly Job[]) {
  let inspected: Inspected;
  printed = "";
  requests = [];
  try {
    const exports = await import(pathToFileURL(bundle).href);
    inspected = withLines(await inspect(exports, source), source.path);
  } catch (error) {
    inspected = await loadFailure(error, source);
  }
  // An unhandled rejection ends the thread. Wait for it here, so that it is blamed on the file that caused it.
  await setImmediate();
  inspected = { ...inspected, printed, warnings: requests.map((stack) => requestWarning(stack, source)) };
  try {
    parentPort?.postMessage(inspected);
  } catch (error) {
    // The definition has a value that cannot be cloned, such as a function.
    parentPort?.postMessage(cannotLoad(describeFailure(error)));
  }
}
