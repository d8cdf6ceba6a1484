/**
 * Serves a bundled Worker in Node, and says for a request how often each of the Worker's functions ran: V8 counts them.
 * (workerd's inspector does not allow it.) Runs as a thread, so that nothing but the Worker is counted.
 */
import { Session } from "node:inspector/promises";
import { registerHooks } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { env } from "../support/node/cloudflare-workers.ts";

/** What the thread is given. */
export interface Served {
  /** URL of the bundle. */
  readonly url: string;
  readonly env: Readonly<Record<string, unknown>>;
}

/** A request, and how often it is sent before one is counted: what is made once must have been made. */
export interface Counted {
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body: string };
  readonly path: string;
}

export interface Ran {
  readonly body: string;
  /** Those that ran. `start` is the offset in the bundle. */
  readonly functions: readonly { readonly name: string; readonly start: number; readonly times: number }[];
}

const WARM_UP = 5;
const PLATFORM = import.meta.resolve("../support/node/cloudflare-workers.ts");
registerHooks({
  resolve: (name, context, next) =>
    name === "cloudflare:workers" ? { url: PLATFORM, shortCircuit: true } : next(name, context),
});

const { url, env: given } = workerData as Served;
Object.assign(env, given);
// workerd's own.
Object.assign(globalThis, { addEventListener() {} });
const { default: worker } = await import(url);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

parentPort?.postMessage("ready");
parentPort?.on("message", async ({ path, init }: Counted) => {
  const deferred: Promise<unknown>[] = [];
  const send = async () => {
    const request = new Request(new URL(path, "http://localhost"), init);
    const context = { waitUntil: (work: Promise<unknown>) => deferred.push(work), passThroughOnException() {} };
    const body = await (await worker.fetch(request, given, context)).text();
    await Promise.all(deferred);
    return body;
  };
  for (let times = 0; times < WARM_UP; times++) await send();
  await session.post("Profiler.takePreciseCoverage");
  const body = await send();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const functions = result.find((script) => script.url === url)?.functions ?? [];
  const ran = functions.map(({ functionName: name, ranges: [range] }) => ({
    ...{ name, start: range?.startOffset ?? 0, times: range?.count ?? 0 },
  }));
  parentPort?.postMessage({ body, functions: ran.filter(({ times }) => times > 0) } satisfies Ran);
});
