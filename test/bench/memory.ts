/** Compares a process's memory after many calls with that of a bare Worker after the same number. */

import { freePort } from "../support/node/fork.ts";
import { bundled, Field } from "./contestants.ts";
import { attach, COLLECTABLE, heapAfterCollection } from "./inspector.ts";
import type { Measured, Order } from "./load.ts";
import { SCENARIOS } from "./scenarios.ts";
import { type Deployment, serve } from "./server.ts";

/** MiB of the process, and MiB in use of the JavaScript heap, both after a collection. */
export interface Held {
  readonly process: number;
  readonly heap: number;
}

export interface MemoryRow {
  readonly calls: number;
  readonly trivet: Held;
  readonly bare: Held;
}

/** Measured once with the heap limit of an isolate on Workers, and once without a limit, as workerd runs here. */
export interface Memory {
  readonly limited: readonly MemoryRow[];
  readonly unlimited: readonly MemoryRow[];
}

const STAGES = [10_000, 50_000, 100_000, 200_000, 300_000];
const SCENARIO = "OXP: call";
/** Workers, Limits, "Memory": 128 MB for each isolate. workerd does not enforce it unless V8 gets the option. */
const LIMIT = "--max-heap-size=128";

/** Measures newly started processes. Empty if the system does not report a process's memory. */
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
  const trivet = await field.deployment(place);
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
