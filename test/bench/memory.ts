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

export type Memory = readonly { readonly calls: number; readonly trivet: Held; readonly bare: Held }[];

const STAGES = [10_000, 50_000, 100_000, 200_000, 300_000];
const SCENARIO = "OXP: call";

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
    const running = await serve({ ...deployment, ...COLLECTABLE }, folder, [`--inspector-addr=127.0.0.1:${inspector}`]);
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
  const bare = await follow({ name: "memory-bare", module: bundled("workers/bare.ts") });
  const trivet = await follow({ name: "memory-trivet", ...field.deployment(place) });
  await field.end();
  return STAGES.map((calls, index) => ({ calls, trivet: trivet[index] as Held, bare: bare[index] as Held })).filter(
    (entry) => !Number.isNaN(entry.trivet.process),
  );
}
