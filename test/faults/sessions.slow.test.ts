/** Many sessions at once: no value is lost, and none leaks to another principal. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRig, type Rig } from "../support/node/rig.ts";

/** `npm run faults` runs 1,000. */
const SESSIONS = Number(process.env.FAULTS_SESSIONS ?? 60);
const CALLS = 20;

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
  // One write per second and key, as in Cloudflare's KV: the store's waiting times assume it.
  await rig.ask("/world/set", { seed: 3, visibleMs: 100, writeMs: 1_000 });
});
afterAll(() => rig?.kill());

interface Sessions {
  readonly wrong: string[];
  readonly requests: number;
}

describe(`${SESSIONS} sessions of ${CALLS} calls each`, () => {
  it("in objects: each call at any location, all calls of a session at once", async () => {
    const { wrong } = await rig.ask<Sessions>("/sessions", { store: "objects", sessions: SESSIONS, calls: CALLS });
    expect(wrong).toEqual([]);
  }, 290_000);

  it("in KV, each session at one location, call by call: throttled writes are written in the end", async () => {
    const { wrong } = await rig.ask<Sessions>("/sessions", { store: "kv", sessions: SESSIONS, calls: CALLS });
    expect(wrong).toEqual([]);
  }, 290_000);
});
