/** Runs tasks under kills, with the workflow and without, and prints the counts. Called by `npm run faults tasks`. */
import { driveTasks } from "./drive.ts";
import type { TaskPlan, TaskTally } from "./plan.ts";

/** The server lives for longer than a lease and the longest tool, so no task needs many lives. */
const PLAN = { seed: 1, livesMs: 8_000, takesMs: 2_000, leaseMs: 1_000 };

const ROWS: [string, (tally: TaskTally) => string | number][] = [
  ["tasks", ({ tasks }) => tasks],
  ["kills", ({ kills }) => Object.values(kills).reduce((sum, count) => sum + count)],
  ["- at any time, as tasks start, at an effect, as answers arrive", ({ kills }) => Object.values(kills).join(", ")],
  ["tasks that a kill found unfinished, over all kills", ({ hit }) => hit],
  ["requests, without an answer", ({ requests, unanswered }) => `${requests}, ${unanswered}`],
  ["ended with a result", ({ completed }) => completed],
  ["ended with the tool's own failure", ({ refused }) => refused],
  ['ended as "interrupted": they must not run twice', ({ interrupted }) => interrupted],
  ["- without a kill, on a busy test machine", ({ stalled }) => stalled],
  ["questions asked, answered after a kill", ({ asked, answeredLater }) => `${asked}, ${answeredLater}`],
  ["effects that may be repeated, and were", ({ repeatedEffects }) => repeatedEffects],
  ["**in no final state**", ({ wrong }) => wrong.unfinished],
  ["**ended in a way that they must not**", ({ wrong }) => wrong.misended],
  ["**another result when read again, after one more kill**", ({ wrong }) => wrong.changed],
  ["**another task for the same key**", ({ wrong }) => wrong.otherTask],
  ["**effects that must not be repeated, and were**", ({ wrong }) => wrong.twice],
  ["**completed steps that were done again**", ({ wrong }) => wrong.stepsAgain],
  ["**questions under another key, or asked again after their answer**", ({ wrong }) => wrong.askedAgain],
];

/** @param plans how many tasks and kills, for each engine */
export async function runTasks(tasks: number, kills: number): Promise<void> {
  const columns: { readonly name: string; readonly plan: TaskPlan }[] = [
    { name: "workflow", plan: { ...PLAN, tasks, kills, hasWorkflow: true } },
    { name: "objects", plan: { ...PLAN, tasks: tasks / 5, kills: kills / 5, hasWorkflow: false } },
  ];
  const tallies: TaskTally[] = [];
  const seconds: number[] = [];
  for (const { name, plan } of columns) {
    const started = performance.now();
    const tally = await driveTasks(plan, ({ kills: soFar }) => console.error(name, JSON.stringify(soFar)));
    tallies.push(tally);
    seconds.push(Math.round((performance.now() - started) / 1_000));
    console.error(name, JSON.stringify(tally.unavailable), `answers unused: ${tally.unusedAnswers}`);
    for (const sample of tally.samples.slice(0, 20)) console.error(sample);
  }
  console.log(`| | ${columns.map(({ name }) => name).join(" | ")} |`);
  console.log(`| --- | ${columns.map(() => "--:").join(" | ")} |`);
  for (const [name, of] of ROWS) console.log(`| ${name} | ${tallies.map(of).join(" | ")} |`);
  console.log(`| seconds | ${seconds.join(" | ")} |`);
}
