/** What a process has in memory after many calls, beside what a bare Worker has after as many. */
import { Field } from "./contestants.ts";
import type { Measured, Order } from "./load.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { Running } from "./server.ts";

export type Memory = readonly { readonly calls: number; readonly trivet: number; readonly bare: number }[];

const STAGES = [1_000, 10_000, 25_000, 50_000, 75_000, 100_000];
const SCENARIO = "OXP: call";

/** Of processes that have served nothing yet. @returns MiB; nothing where the system does not tell */
export async function memory(measure: (order: Order) => Promise<Measured>, connections: number): Promise<Memory> {
  const field = await Field.open();
  try {
    const place = SCENARIOS.find(({ name }) => name === SCENARIO)?.place ?? "one";
    const bare = await field.bare(place);
    const trivet = await field.trivet(place);
    const given = { credentials: await field.trust.credentials() };
    const found: { calls: number; trivet: number; bare: number }[] = [];
    let calls = 0;
    for (const stage of STAGES) {
      const after = async ({ port, memoryMiB }: Running) => {
        await measure({ scenario: SCENARIO, port, connections, requests: stage - calls, given });
        return memoryMiB() ?? Number.NaN;
      };
      found.push({ calls: stage, trivet: await after(trivet), bare: await after(bare) });
      calls = stage;
    }
    return found.filter((entry) => !Number.isNaN(entry.trivet));
  } finally {
    await field.end();
  }
}
