/**
 * `npm run faults [KEYS]`: calls with 3 to 50 duplicates each, at two locations and over all protocols, while KV fails
 * and runners are killed; once with claims in the object, once with KV alone. Prints the counts.
 *
 * `npm run faults tasks [TASKS] [KILLS]`: tasks of long tools, while workerd is killed (tasks/run.ts).
 *
 * `npm run faults outbox [EVENTS] [KILLS]`: events to receivers that misbehave, while workerd is killed (outbox/run.ts).
 *
 * `npm run faults hour [MINUTES] [PATTERN]`: what one caller who does its worst costs in an hour (worst/hour.ts).
 *
 * `npm run faults mutants [NAME…]`: small faults put into `src`, one at a time; says which test notices each
 * (mutants/run.ts).
 */
import { openRig } from "../support/node/rig.ts";
import { runMutants } from "./mutants/run.ts";
import { runOutbox } from "./outbox/run.ts";
import { ABREAST, PLAN, type Tally, WEATHER } from "./plan.ts";
import { runTasks } from "./tasks/run.ts";
import { runHour } from "./worst/hour.ts";

if (process.argv[2] === "tasks") {
  await runTasks(Number(process.argv[3] ?? 500), Number(process.argv[4] ?? 50));
  process.exit();
}
if (process.argv[2] === "outbox") {
  await runOutbox(Number(process.argv[3] ?? 500), Number(process.argv[4] ?? 50));
  process.exit();
}
if (process.argv[2] === "hour") {
  await runHour(Number(process.argv[3] ?? 10), new RegExp(process.argv[4] ?? ""));
  process.exit();
}
if (process.argv[2] === "mutants") {
  runMutants(process.argv.slice(3));
  process.exit();
}
const keys = Number(process.argv[2] ?? 10_000);
const stores = (process.argv[3]?.split(",") ?? ["claims", "kv"]) as ("claims" | "kv")[];
const rows: [string, (tally: Tally) => string | number][] = [
  ["calls", ({ keys }) => keys],
  ["requests, retries among them", ({ requests, retries }) => `${requests}, ${retries}`],
  ["connections dropped, their runner killed", ({ dropped }) => dropped],
  ["**calls that ran twice or more**", ({ twice }) => `**${twice}**`],
  ["runs too many", ({ extra }) => extra],
  ["calls whose callers were told different results", ({ disagreeing }) => disagreeing],
  ["callers without a result in the end", ({ stuck, wrong }) => stuck + wrong],
  ["runner killed between its effect and its result: ran again", ({ torn, tornTwice }) => `${tornTwice} of ${torn}`],
  ["runner went on past its lease, on a busy test machine: ran again", ({ lateTwice }) => lateTwice],
];

const tallies: Tally[] = [];
const seconds: number[] = [];
for (const store of stores) {
  const rig = await openRig();
  await rig.ask("/world/set", WEATHER);
  const started = performance.now();
  const tally = await rig.run({ ...PLAN, keys, abreast: ABREAST, store }, (soFar) =>
    console.error(`${store}: ${soFar.keys} of ${keys}, ${soFar.twice} twice`),
  );
  tallies.push(tally);
  seconds.push(Math.round((performance.now() - started) / 1_000));
  console.error(JSON.stringify({ why: tally.why, stillMs: tally.stillMs, kv: await rig.ask("/world/counts") }));
  const births = await rig.ask<number>("/world/births");
  if (births !== 1) throw new Error(`The rig's KV was forgotten ${births - 1} times: this run says nothing`);
  for (const sample of tally.samples.slice(0, 20)) console.error(sample);
  await rig.kill();
}
console.log(`| | ${stores.map((store) => (store === "kv" ? "KV alone" : "with claims")).join(" | ")} |`);
console.log(`| --- | ${stores.map(() => "--:").join(" | ")} |`);
for (const [name, of] of rows) console.log(`| ${name} | ${tallies.map(of).join(" | ")} |`);
console.log(`| seconds | ${seconds.join(" | ")} |`);
