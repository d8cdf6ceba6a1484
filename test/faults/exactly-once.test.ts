/** The rig at a size for every day; `npm run faults` is the same with 10,000 calls. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRig, type Rig } from "../support/node/rig.ts";
import { sleep } from "./caller.ts";
import { PLAN, WEATHER } from "./plan.ts";

/** Some 1,600 requests. */
const KEYS = 60;
const TTL_SECONDS = 8;

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
  await rig.ask("/world/set", WEATHER);
});
afterAll(() => rig?.kill());

describe("a call sent 3 to 50 times, to two locations, over three protocols, with runners killed under way", () => {
  it("has one effect and one result, and leaves nothing behind", async () => {
    const tally = await rig.run({ ...PLAN, keys: KEYS, abreast: 30, ttlSeconds: TTL_SECONDS, ledger: "claims" });
    expect(await rig.ask("/world/births")).toBe(1);
    expect(tally.samples).toEqual([]);
    expect(tally).toMatchObject({ keys: KEYS, twice: 0, disagreeing: 0, stuck: 0, wrong: 0 });
    expect(tally.dropped).toBeGreaterThan(0);
    // The last that was settled has its time to live before it, and the alarm its second.
    await sleep(TTL_SECONDS * 1_000 + 2_500);
    for (const principal of ["p0", "p1", "p2", "p3"]) {
      expect(await rig.ask(`/claims/rows?principal=${principal}`)).toEqual([0, 0, 0, 0]);
    }
    expect(await rig.ask("/world/entries", "")).toEqual([]);
  });
});
