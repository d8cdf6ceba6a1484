/** Runs an outbox under kills and prints the counts. Called by `npm run faults outbox`. */
import { driveOutbox } from "./drive.ts";
import type { OutboxTally } from "./plan.ts";

/** The schedule's twelve hours are 7 seconds, so some lives see all attempts of a delivery, and most do not. */
const PLAN = { seed: 1, livesMs: 4_000, minuteMs: 10, attemptMs: 2_000 };

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, count) => all + count, 0);
const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

const ROWS: [string, (tally: OutboxTally) => string | number][] = [
  ["events", ({ events }) => events],
  ["calls that emit, and those without an answer, made again", ({ calls, unanswered }) => `${calls}, ${unanswered}`],
  ["kills", ({ kills }) => sum(kills)],
  [
    "- at any time, as a call is made, during an attempt, at its answer",
    ({ kills }) => Object.values(kills).join(", "),
  ],
  ["deliveries: events for each subscription, and messages of callbacks", ({ deliveries }) => deliveries],
  ["attempts that arrived", ({ attempts }) => attempts],
  ["- by what the receiver did", ({ answers }) => listed(answers)],
  ["delivered", ({ delivered }) => delivered],
  ["- and attempted again, because a kill came before that was noted", ({ repeated }) => repeated],
  ["given up", ({ dead }) => sum(dead)],
  ["- by reason", ({ dead }) => listed(dead)],
  ["emitted when their subscription had ended with 410", ({ late }) => late],
  ["**neither delivered nor given up**", ({ wrong }) => wrong.lost],
  ["**still waiting in the end**", ({ wrong }) => wrong.waiting],
  ["**given up for another reason than the receiver gave**", ({ wrong }) => wrong.unreasonable],
  ["**events with two ids**", ({ wrong }) => wrong.twoIds],
  ["**signatures that do not verify, or are old**", ({ wrong }) => wrong.badSignature],
  ["**attempts after 410 or 413**", ({ wrong }) => wrong.afterEnd],
  ["**attempts before `Retry-After`**", ({ wrong }) => wrong.hasty],
  ["**cursors past an event that was under way**", ({ wrong }) => wrong.skipped],
  ["**numbers used twice, left out, or out of order**", ({ wrong }) => wrong.misnumbered],
  ["**attempts after all had ended, and one more kill**", ({ wrong }) => wrong.restless],
];

export async function runOutbox(events: number, kills: number): Promise<void> {
  const started = performance.now();
  const tally = await driveOutbox({ ...PLAN, events, kills }, ({ kills: soFar }) =>
    console.error(JSON.stringify(soFar)),
  );
  for (const sample of tally.samples.slice(0, 20)) console.error(sample);
  console.log("| | |");
  console.log("| --- | --: |");
  for (const [name, of] of ROWS) console.log(`| ${name} | ${of(tally)} |`);
  console.log(`| seconds | ${Math.round((performance.now() - started) / 1_000)} |`);
  if (sum(tally.wrong) > 0) process.exitCode = 1;
}
