/** How often clients are told to look at a task: each look is a request to the Worker and one to the ledger. */
import { expect, it } from "vitest";
import { pollMsAt } from "../../../src/features/tasks/task-view.ts";

/** The times at which a client looks at a task, in milliseconds since it was started. */
function looks(untilMs: number): number[] {
  const times: number[] = [];
  for (let at = pollMsAt(0); times.length === 0 || (times.at(-1) ?? 0) < untilMs; at += pollMsAt(at)) times.push(at);
  return times;
}

it("sees a result within two seconds and a tenth of the time since the task was started", () => {
  const times = [0, ...looks(24 * 3_600_000)];
  const late = times.filter((at, index) => at - (times[index - 1] ?? 0) > 2_000 + at / 10);
  expect(late).toEqual([]);
});

it.each([
  [40_000, 12],
  [600_000, 38],
])("a task of %i ms is looked at %i times", (ms, times) => {
  expect(looks(ms)).toHaveLength(times);
});
