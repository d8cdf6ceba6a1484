/** The rig at a size for everyday test runs; `npm run faults` does the same with 10,000 calls. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../support/node/fork.ts";
import { openRig, type Rig } from "../support/node/rig.ts";
import { PLAN, WEATHER } from "./plan.ts";

/** Some 1,600 requests. */
const KEYS = 60;
const PRINCIPALS = ["small0", "large1", "small2", "large3"];
/** Longer than the object waits before it looks again. */
const PAUSE_MS = 601_000;

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
  await rig.ask("/world/set", WEATHER);
});
afterAll(() => rig?.kill());

describe("a call sent 3 to 50 times, to two locations, over three protocols, while runners are killed", () => {
  it("has one effect and one result, and leaves nothing behind", async () => {
    const tally = await rig.run({ ...PLAN, keys: KEYS, abreast: 30, store: "claims" });
    expect(await rig.ask("/world/births")).toBe(1);
    expect(tally.samples).toEqual([]);
    expect(tally).toMatchObject({ keys: KEYS, twice: 0, disagreeing: 0, stuck: 0, wrong: 0 });
    expect(tally.dropped).toBeGreaterThan(0);
    // Once every time to live is over, nothing is left.
    await rig.ask("/world/ahead", PLAN.ttlSeconds * 1_000);
    await until(async () => {
      await rig.ask("/world/ahead", PAUSE_MS);
      for (const principal of PRINCIPALS) await rig.ask(`/claims/wake?principal=${principal}`);
      const rows = await Promise.all(PRINCIPALS.map((id) => rig.ask<number[]>(`/claims/rows?principal=${id}`)));
      return rows.flat().every((count) => count === 0);
    });
    expect(await rig.ask("/world/entries", "")).toEqual([]);
  });
});
