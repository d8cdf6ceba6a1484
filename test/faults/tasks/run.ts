/** Runs tasks under kills, and prints the counts. Called by `npm run faults tasks`. */
import { driveTasks } from "./drive.ts";
import type { TaskTally } from "./plan.ts";

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

/** Follows so many tasks over so many kills. */
export async function runTasks(tasks: number, kills: number): Promise<void> {
  const started = performance.now();
  const plan = { ...PLAN, tasks, kills };
  const tally = await driveTasks(plan, ({ kills: soFar }) => console.error(JSON.stringify(soFar)));
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.error(JSON.stringify(tally.unavailable), `answers unused: ${tally.unusedAnswers}`);
  for (const sample of tally.samples.slice(0, 20)) console.error(sample);
  console.log("| | |\n| --- | --: |");
  for (const [name, of] of ROWS) console.log(`| ${name} | ${of(tally)} |`);
  console.log(`| seconds | ${seconds} |`);
}
