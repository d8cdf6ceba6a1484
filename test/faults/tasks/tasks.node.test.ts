/** Tasks of long tools while workerd is killed: a small run of `npm run faults tasks`. */
import { describe, expect, it } from "vitest";
import { driveTasks, openLongRig } from "./drive.ts";
import type { TaskPlan } from "./plan.ts";
import { openRecorder } from "./recorder.ts";
import { call } from "./wire.ts";

const PLAN: TaskPlan = {
  ...{ seed: 1, tasks: 60, kills: 6, livesMs: 2_500, takesMs: 1_500, leaseMs: 1_000, hasWorkflow: true },
};
const NOTHING = {
  ...{ unfinished: 0, misended: 0, changed: 0, otherTask: 0, twice: 0, stepsAgain: 0, askedAgain: 0 },
};

describe("a server with long tools that is killed again and again", () => {
  const ENGINES: [string, TaskPlan][] = [
    ["workflows", PLAN],
    ["objects", { ...PLAN, tasks: 30, kills: 3, hasWorkflow: false }],
  ];
  for (const [engine, plan] of ENGINES) {
    it(`ends each of ${plan.tasks} tasks in ${engine}, repeats nothing that it must not, and keeps its word`, async () => {
      const tally = await driveTasks(plan);
      const { kills, samples, hit, completed, interrupted, refused } = tally;
      console.log(`${engine}: ${JSON.stringify({ ...tally, samples: samples.length })}`);
      expect(tally.wrong, samples.join("\n")).toEqual(NOTHING);
      expect(completed + interrupted + refused).toBe(plan.tasks);
      // One more at the end, after which all results are read again.
      expect(Object.values(kills).reduce((sum, count) => sum + count)).toBe(plan.kills + 1);
      // The kills met something.
      expect(hit).toBeGreaterThan(0);
      expect(completed).toBeGreaterThan(0);
    });
  }
});

it("lets 64 callers wait for one task, and tells the others at once that it runs", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const recorder = await openRecorder(() => held);
  const rig = openLongRig({ hasWorkflow: true, leaseMs: 60_000 }, { LONG_WAIT_SECONDS: "600" });
  try {
    await rig.start();
    const input = { name: "held", to: recorder.url, ms: 0 };
    const request = { over: "oxp", tool: "Plain", key: crypto.randomUUID(), input, address: "10.0.0.1" } as const;
    let told = 0;
    const calls = Array.from({ length: 70 }, async () => {
      const { state } = await call(rig.url ?? "", request);
      // The tool is held until six are told.
      if (state.is === "running" && ++told === 6) release();
      return state.is === "completed" ? state.value : state.is;
    });
    const answers = await Promise.all(calls);
    expect(answers.filter((answer) => answer === "running")).toHaveLength(6);
    expect(new Set(answers).size).toBe(2);
    expect(recorder.valuesOf("held", "effect")).toHaveLength(1);
  } finally {
    release();
    await rig.remove();
    recorder.close();
  }
});
