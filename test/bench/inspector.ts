/**
 * Measurements from V8's inspector that machine load does not affect: bytes allocated per request, and code discarded.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../support/node/fork.ts";
import { carryOut } from "./load.ts";
import type { Given, Scenario } from "./scenarios.ts";
import { type Deployment, serve } from "./server.ts";
import { Connection } from "./wire.ts";

/**
 * Warm-up calls before counting starts: they fill caches and let V8 collect type feedback for each function. More calls
 * of either kind give the same figures to the byte.
 */
const WARM_UP = 300;
const COUNTED = 100;
/** An odd number of runs, so that the median is one run: one without garbage collection. */
const TIMES = 3;
/**
 * A young generation large enough for some 10,000 calls without a collection. Optimizing compilers are off: they remove
 * a twentieth of the allocations, but when they get to a function depends on the machine.
 */
const COUNTABLE = ["--min-semi-space-size=64", "--no-opt", "--no-maglev"];

/** Exposes `gc()` in the Worker: the inspector's own `HeapProfiler.collectGarbage` never returns in workerd. */
export const COLLECTABLE = {
  v8Flags: ["--expose-gc"],
  around: `import app from "app.js";
export * from "app.js";
export default {
  fetch(request, env, context) {
    if (!request.url.endsWith("/collect")) return app.fetch(request, env, context);
    gc();
    return new Response();
  },
};`,
};

/** Collects all garbage. Returns the MiB of JavaScript heap then in use. */
export async function heapAfterCollection(port: number, socket: Socket): Promise<number> {
  // Finalizers in the first collection may release more objects.
  for (let times = 0; times < 3; times++) await (await fetch(`http://127.0.0.1:${port}/collect`)).text();
  return (await heapInUse(socket)) / 1_048_576;
}

/**
 * Measures the heap in use before and after a number of calls without a collection in between. The result is the same
 * to the byte on each run and machine; V8's sampling profiler is sometimes 3% off. Returns the bytes of JavaScript heap
 * that one request of this scenario allocates in unoptimized code.
 */
export async function allocation(
  deployment: Deployment,
  scenario: Scenario,
  given: Given,
  folder: string,
): Promise<number> {
  const inspector = await freePort();
  const options = [`--inspector-addr=127.0.0.1:${inspector}`];
  const server = await serve({ ...deployment, v8Flags: COUNTABLE }, folder, options);
  try {
    const socket = await attach(inspector);
    const connection = new Connection(server.port);
    const next = await scenario.open((request) => connection.send(request), given);
    const send = async (requests: number) => {
      for (let index = 0; index < requests; index++) await connection.send(next(index).request);
    };
    await send(WARM_UP);
    const found: number[] = [];
    for (let times = 0; times < TIMES; times++) {
      const before = await heapInUse(socket);
      await send(COUNTED);
      found.push(((await heapInUse(socket)) - before) / COUNTED);
    }
    socket.close();
    connection.close();
    return found.sort((one, other) => one - other)[(TIMES - 1) / 2] ?? Number.NaN;
  } finally {
    await server.stop();
  }
}

/** Optimizes ten times earlier than V8's default, in a heap so small that major collections are frequent. */
const RESTLESS = ["--invocation-count-for-maglev=40", "--invocation-count-for-turbofan=300", "--max-heap-size=24"];
const UNTIL_COLLECTED = 20_000;
const CONNECTIONS = 32;

/**
 * Returns how many functions V8 optimized, and how many it optimized again in the same way. A major collection discards
 * optimized code if no object is alive with one of the shapes that the code depends on.
 */
export async function optimizations(
  deployment: Deployment,
  scenario: Scenario,
  given: Given,
  folder: string,
): Promise<{ readonly made: number; readonly again: number }> {
  const file = join(folder, `${deployment.name}.trace`);
  const v8Flags = [...RESTLESS, "--trace-opt", "--redirect-code-traces", `--redirect-code-traces-to=${file}`];
  const server = await serve({ ...deployment, v8Flags }, folder);
  try {
    const { port } = server;
    await carryOut({ scenario: scenario.name, port, connections: CONNECTIONS, requests: UNTIL_COLLECTED, given });
    const made = readFileSync(file, "utf8").match(/completed optimizing .*/g) ?? [];
    return { made: made.length, again: made.length - new Set(made.map(withoutAddress)).size };
  } finally {
    await server.stop();
  }
}

/**
 * `completed optimizing 0x1 <JSFunction name (sfi = 0x2)> (target MAGLEV)`: the addresses identify a closure, not a
 * function.
 */
function withoutAddress(line: string): string {
  return line.replace(/^completed optimizing 0x\w+/, "");
}

async function heapInUse(socket: Socket): Promise<number> {
  const { usedSize } = (await socket.call("Runtime.getHeapUsage")) as { usedSize: number };
  return usedSize;
}

export interface Socket {
  call(method: string, params?: object): Promise<unknown>;
  close(): void;
}

export async function attach(port: number): Promise<Socket> {
  const socket = new WebSocket(await debuggerUrl(port));
  await new Promise((opened, failed) => {
    socket.addEventListener("open", opened);
    socket.addEventListener("error", failed);
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  return {
    call: (method, params = {}) =>
      new Promise((done) => {
        waiting.set(++last, done);
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}

/** The Worker's own debugger, not that of the Workers that stand in for KV and the network. */
async function debuggerUrl(port: number): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    await sleep(50);
    const listed = await fetch(`http://127.0.0.1:${port}/json`).catch(() => undefined);
    const targets = listed && ((await listed.json()) as { id: string; webSocketDebuggerUrl: string }[]);
    const main = targets?.find(({ id }) => id.endsWith("main"));
    if (main) return main.webSocketDebuggerUrl;
  }
  throw new Error("workerd has no inspector");
}
