/** Tasks of long tools while workerd is killed: a small run of `npm run faults tasks`. */
import { expect, it } from "vitest";
import { driveTasks } from "./drive.ts";
import type { TaskPlan } from "./plan.ts";

const PLAN: TaskPlan = {
  ...{ seed: 1, tasks: 60, kills: 6, livesMs: 2_500, takesMs: 1_500, leaseMs: 1_000 },
};
const NOTHING = {
  ...{ unfinished: 0, misended: 0, changed: 0, otherTask: 0, twice: 0, stepsAgain: 0, askedAgain: 0 },
};

it(`a server that is killed again and again ends each of ${PLAN.tasks} tasks, and keeps its word`, async () => {
  const tally = await driveTasks(PLAN);
  const { kills, samples, hit, completed, interrupted, refused } = tally;
  console.log(JSON.stringify({ ...tally, samples: samples.length }));
  expect(tally.wrong, samples.join("\n")).toEqual(NOTHING);
  expect(completed + interrupted + refused).toBe(PLAN.tasks);
  // One more at the end, after which all results are read again.
  expect(Object.values(kills).reduce((sum, count) => sum + count)).toBe(PLAN.kills + 1);
  // The kills met something.
  expect(hit).toBeGreaterThan(0);
  expect(completed).toBeGreaterThan(0);
});
