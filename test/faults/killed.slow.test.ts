/**
 * A real kill instead of a simulated one: ends workerd with SIGKILL during calls, and restarts it on the same storage.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRig, type Rig } from "../support/node/rig.ts";
import { type Call, call, insist } from "./caller.ts";

/** How long a lease outlasts the time limit: longer than a busy machine stalls, or a second run would be right. */
const MARGIN = { marginMs: 6_000 };

const PLACES = ["one", "other"] as const;
const OVER = ["oxp", "mcp", "opentool"] as const;

let state: string;
let rig: Rig;
beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), "trivet-rig-"));
  rig = await openRig(state);
});
afterAll(async () => {
  await rig?.kill();
  rmSync(state, { recursive: true, force: true });
});

const fresh = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());

/** Six calls with each key: over every protocol, at both locations. */
function calls(keys: string[], ms: number): Call[] {
  return keys.flatMap((key) =>
    OVER.flatMap((over) =>
      PLACES.map((at) => ({ key, over, at, principal: "patient", input: { name: key, ms }, ...MARGIN })),
    ),
  );
}

describe("a process that is killed", () => {
  it("while calls wait, run, and are done: each has one effect and one result in the end", async () => {
    const [done, under] = [fresh(10), fresh(10)];
    const before = await Promise.all(calls(done, 0).map((given) => insist(rig, given)));
    // The runs have started, and have not had their effect.
    const cut = calls(under, 450).map((given) => call(rig, given));
    const ends = Promise.allSettled(cut);
    await sleep(250);
    await rig.kill();
    expect((await ends).some(({ status }) => status === "rejected")).toBe(true);

    rig = await openRig(state);
    const replayed = await Promise.all(calls(done, 0).map((given) => insist(rig, given)));
    expect(replayed.map(({ value }) => value)).toEqual(before.map(({ value }) => value));
    const again = await Promise.all(calls(under, 450).map((given) => insist(rig, given)));
    expect(again.map(({ value }) => value)).toEqual(calls(under, 0).map(({ key }) => `${key}, run 1`));
    for (const key of [...done, ...under]) expect(await rig.ask("/world/effects", key)).toBe(1);
  });
});
