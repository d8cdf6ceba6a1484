/** What a process has in memory after many calls, beside what a bare Worker has after as many. */
import { bundled, Field } from "./contestants.ts";
import { attach, COLLECTABLE, heapAfterCollection } from "./inspector.ts";
import type { Measured, Order } from "./load.ts";
import { SCENARIOS } from "./scenarios.ts";
import { type Deployment, freePort, serve } from "./server.ts";

/** MiB: what the process has, and what JavaScript's heap holds, once garbage is collected. */
export interface Held {
  readonly process: number;
  readonly heap: number;
}

export interface MemoryRow {
  readonly calls: number;
  readonly trivet: Held;
  readonly bare: Held;
}

/** In a heap as large as an isolate's may be on Workers, and in one that grows as V8 likes, as workerd has it here. */
export interface Memory {
  readonly limited: readonly MemoryRow[];
  readonly unlimited: readonly MemoryRow[];
}

const STAGES = [10_000, 50_000, 100_000, 200_000, 300_000];
const SCENARIO = "OXP: call";
/** Workers, Limits, "Memory": 128 MB for each isolate, which workerd holds nobody to unless V8 is told. */
const LIMIT = "--max-heap-size=128";

/** Of processes that have served nothing before. Empty where the system does not tell. */
export async function memory(
  measure: (order: Order) => Promise<Measured>,
  connections: number,
  folder: string,
): Promise<Memory> {
  const field = await Field.open();
  const given = { credentials: await field.trust.credentials() };
  const place = SCENARIOS.find(({ name }) => name === SCENARIO)?.place ?? "one";
  const follow = async (deployment: Deployment): Promise<Held[]> => {
    const inspector = await freePort();
    const running = await serve(deployment, folder, [`--inspector-addr=127.0.0.1:${inspector}`]);
    try {
      const socket = await attach(inspector);
      const held: Held[] = [];
      let calls = 0;
      for (const stage of STAGES) {
        await measure({ scenario: SCENARIO, port: running.port, connections, requests: stage - calls, given });
        calls = stage;
        const heap = await heapAfterCollection(running.port, socket);
        held.push({ process: running.memoryMiB() ?? Number.NaN, heap });
      }
      socket.close();
      return held;
    } finally {
      await running.stop();
    }
  };
  const trivet = field.deployment(place);
  const bare = { module: bundled("workers/bare.ts") };
  const compare = async (...limit: string[]): Promise<MemoryRow[]> => {
    const options = { ...COLLECTABLE, v8Flags: [...COLLECTABLE.v8Flags, ...limit] };
    const ofBare = await follow({ name: "memory-bare", ...bare, ...options });
    const ofTrivet = await follow({ name: "memory-trivet", ...trivet, ...options });
    return STAGES.map((calls, index) => ({
      calls,
      trivet: ofTrivet[index] as Held,
      bare: ofBare[index] as Held,
    })).filter((row) => !Number.isNaN(row.trivet.process));
  };
  const found = { limited: await compare(LIMIT), unlimited: await compare() };
  await field.end();
  return found;
}
