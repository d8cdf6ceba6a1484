/** Compares announcing and polling tasks with calls, and measures a thousand tasks at once. */
import type { Measured, Order } from "./load.ts";
import { callOf, PLAIN, pollOf, TASK_SCENARIOS, taskOf } from "./task-scenarios.ts";
import { serveTasks, type TaskServer, taskModule } from "./task-server.ts";
import { Connection } from "./wire.ts";

export interface TaskRow {
  readonly name: string;
  /** Of each round. */
  readonly entries: readonly Pick<Measured, "p50" | "p99">[];
  readonly perSecond: readonly number[];
  /** Microseconds of the server's CPU for a request, with all work that it leads to. */
  readonly cpuUs: readonly number[];
}

/** A thousand tasks at once. Times in seconds, memory in MiB: of the process, and of JavaScript's heap after a collection. */
export interface Thousand {
  readonly principals: number;
  readonly announced: number;
  readonly finished: number;
  readonly before: number;
  readonly peak: number;
  readonly after: number;
  readonly heapBefore: number;
  readonly heapWorking: number;
  readonly heapAfter: number;
}

export interface Tasks {
  readonly rows: readonly TaskRow[];
  readonly thousand: readonly Thousand[];
}

type Measure = (order: Order) => Promise<Measured>;

/** Requests of each scenario in a round. Not a time, because what is announced must also run. */
const REQUESTS = 300;
const ROUNDS = 5;
const TASKS = 1_000;
const SECONDS = 5;
const NO_CREDENTIALS = { credentials: { none: "", key: "", HS256: "", ES256: "" } };

export async function tasks(measure: Measure, connections: number): Promise<Tasks> {
  const module = await taskModule();
  const server = await serveTasks(module);
  const rows = new Map(TASK_SCENARIOS.map(({ name }) => [name, [] as (Measured & { cpuUs: number })[]]));
  try {
    // One round to warm up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (let index = 0; index < TASK_SCENARIOS.length; index++) {
        const { name } = TASK_SCENARIOS[(index + round) % TASK_SCENARIOS.length] as (typeof TASK_SCENARIOS)[number];
        const before = server.cpuMs() ?? Number.NaN;
        const order = { scenario: name, port: server.port, connections, requests: REQUESTS, given: NO_CREDENTIALS };
        const measured = await measure(order);
        await idle(server);
        const cpuUs = (((server.cpuMs() ?? Number.NaN) - before) * 1_000) / measured.requests;
        if (round > 0) rows.get(name)?.push({ ...measured, cpuUs });
      }
    }
  } finally {
    await server.stop();
  }
  return {
    rows: Array.from(rows, ([name, all]) => ({
      name,
      entries: all,
      perSecond: all.map(({ requests, seconds }) => requests / seconds),
      cpuUs: all.map(({ cpuUs }) => cpuUs),
    })),
    thousand: [await thousand(module, 1), await thousand(module, 10)],
  };
}

export const isPlain = ({ name }: TaskRow) => name === PLAIN;

/** Resolves when the server has used next to no CPU for half a second. */
async function idle(server: TaskServer): Promise<void> {
  for (let before = Number.NaN, now = server.cpuMs() ?? 0; !(now - before <= 20); ) {
    await new Promise((resume) => setTimeout(resume, 500));
    before = now;
    now = server.cpuMs() ?? 0;
  }
}

/** Announces a thousand tasks that wait, and polls them until all have finished. */
async function thousand(module: string, principals: number): Promise<Thousand> {
  const server = await serveTasks(module);
  const connections = Array.from({ length: 100 }, () => new Connection(server.port));
  const first = connections[0] as Connection;
  const memory = () => server.memoryMiB() ?? Number.NaN;
  const of = (index: number) => ({ "cf-connecting-ip": `192.0.2.${index % principals}` });
  const finishes = async (connection: Connection, id: string, index: number) => {
    while (!(await connection.send(pollOf(id, of(index)))).body.includes('"status":"completed"')) {
      await new Promise((resume) => setTimeout(resume, 100));
    }
  };
  try {
    const one = taskOf(await first.send(callOf("Jobs_Now", {}, of(0))));
    await finishes(first, one, 0);
    const [before, heapBefore] = [memory(), await server.heapMiB()];
    let peak = before;
    const sampling = setInterval(() => {
      peak = Math.max(peak, memory());
    }, 100);
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1_000;
    const ids: string[] = [];
    let next = 0;
    await Promise.all(
      connections.map(async (connection) => {
        for (let index = next++; index < TASKS; index = next++) {
          ids[index] = taskOf(await connection.send(callOf("Jobs_Wait", { seconds: SECONDS }, of(index))));
        }
      }),
    );
    const announced = seconds();
    const heapWorking = await server.heapMiB();
    for (const [index, id] of ids.entries()) await finishes(first, id, index);
    const finished = seconds();
    clearInterval(sampling);
    await idle(server);
    const heapAfter = await server.heapMiB();
    return { principals, announced, finished, before, peak, after: memory(), heapBefore, heapWorking, heapAfter };
  } finally {
    for (const connection of connections) connection.close();
    await server.stop();
  }
}
