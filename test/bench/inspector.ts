/** What V8 tells of a Worker, and no other load on the machine changes: bytes that a request allocates, code thrown away. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { carryOut } from "./load.ts";
import type { Given, Scenario } from "./scenarios.ts";
import { type Deployment, freePort, serve } from "./server.ts";
import { Connection } from "./wire.ts";

/** Calls before the first that counts, which fill caches and let V8 see what it keeps of each function. */
const WARM_UP = 2_000;
const COUNTED = 500;
/** An odd number: the one in the middle is not one in which garbage was collected. */
const TIMES = 9;
/**
 * Room for new objects, that some 10,000 calls fill before garbage is collected; and no optimizing compilers, which take
 * a twentieth of the objects away, or not, as it happens: by when they come round to a function, so by the machine.
 */
const COUNTABLE = ["--min-semi-space-size=64", "--no-opt", "--no-maglev"];

/** Of a Worker that collects garbage when it is asked to: the inspector's own way does not come back from workerd. */
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

/** Collects garbage, all of it. @returns MiB of JavaScript's heap that are in use then */
export async function heapAfterCollection(port: number, socket: Socket): Promise<number> {
  // What is let go in the first collection may hold on to more.
  for (let times = 0; times < 3; times++) await (await fetch(`http://127.0.0.1:${port}/collect`)).text();
  return (await heapInUse(socket)) / 1_048_576;
}

/**
 * What is in use of the heap after so many calls, less what was before, and no garbage collected in between: the same
 * to the byte each time and on each machine, where V8's sampling profiler is 3% off now and then.
 * @returns bytes of JavaScript's heap that a request of this scenario allocates, as the code says it
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

/** Optimizes ten times as early as V8 does by itself, in a heap so small that major collections come often. */
const RESTLESS = ["--invocation-count-for-maglev=40", "--invocation-count-for-turbofan=300", "--max-heap-size=24"];
const UNTIL_COLLECTED = 20_000;
const CONNECTIONS = 32;

/**
 * @returns how often V8 optimized a function, and how often one that it had optimized just so before: a major collection
 *          throws optimized code away where no object is alive of a shape that it was made for
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

/** `completed optimizing 0x1 <JSFunction name (sfi = 0x2)> (target MAGLEV)`: which closure of a function it was says nothing. */
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

/** Of the Worker itself, not of those that stand in for its surroundings. */
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
