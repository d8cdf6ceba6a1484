/** Compares calls that store something with those of a bare Worker that asks one object to write one row. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled, type Field } from "./contestants.ts";
import type { Measured, Order } from "./load.ts";
import { type Running, serve } from "./server.ts";

export interface StoredRow {
  readonly name: string;
  readonly connections: number;
  /** Of each round. */
  readonly trivet: readonly Measured[];
  readonly bare: readonly Measured[];
}

const NAMES = [
  "OXP: keyed call, first",
  "OXP: keyed call, replay",
  "MCP legacy: session read",
  "MCP legacy: session write",
];
const CONNECTIONS = [1, 32];
const ROUNDS = 5;
const SECONDS = 1;

type Measure = (order: Order) => Promise<Measured>;

export async function stored(measure: Measure, field: Field): Promise<StoredRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "trivet-stored-"));
  const module = bundled("objects/bare-object.ts");
  const given = { credentials: await field.trust.credentials() };
  const rows: StoredRow[] = [];
  await field.stopAll();
  const trivet = await field.trivet("kept");
  const bare = await serve({ name: "bare-object", module, objects: { ROWS: "Rows" } }, folder);
  const run = (scenario: string, { port }: Running, connections: number) =>
    measure({ scenario, port, connections, seconds: SECONDS, given });
  try {
    for (const name of NAMES) {
      for (const connections of CONNECTIONS) {
        const row = { name, connections, trivet: [] as Measured[], bare: [] as Measured[] };
        // One round to warm up.
        for (let round = 0; round <= ROUNDS; round++) {
          const [ours, bares] = [await run(name, trivet, connections), await run("OXP: call", bare, connections)];
          if (round === 0) continue;
          row.trivet.push(ours);
          row.bare.push(bares);
        }
        rows.push(row);
      }
    }
  } finally {
    await bare.stop();
    await field.stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}
