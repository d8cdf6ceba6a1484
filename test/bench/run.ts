/**
 * `npm run bench`: how fast the deployed Worker is, as a share of a Worker that does nothing but the work.
 *
 *   --rounds N     how often to measure each scenario (9); medians are reported
 *   --seconds N    how long to measure each time (5)
 *   --only REGEXP  only scenarios whose name matches, "start", "memory", "stored", "tasks", "outbox" or
 *                  "uploads"; may be repeated
 *   --peers        also measure other MCP servers, which are installed first
 *   --write        write the tables to test/bench/RESULTS.md
 *
 * Machines are noisy and differ, so the servers of a round are measured one after the other, and only ratios compared.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type ChildProcess, spawn } from "../support/node/processes.ts";
import { coldStart } from "./cold.ts";
import { bundledPeer, Field, gzipKib, peers, type Rival } from "./contestants.ts";
import { outboxPrinted, storedPrinted, uploadsPrinted } from "./feature-report.ts";
import type { Measured, Order, Reply } from "./load.ts";
import { memory } from "./memory.ts";
import { outbox } from "./outbox.ts";
import { type Entry, joined, printed, write } from "./report.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { canPin, LOAD_CORE, pinned } from "./server.ts";
import { stored } from "./stored.ts";
import { tasksPrinted } from "./task-report.ts";
import { tasks } from "./tasks.ts";
import { uploads } from "./uploads.ts";

const CONNECTIONS = 32;
/** V8 is still optimizing in the second after the first: a server with more code than bare reaches 0.7 of it then. */
const WARM_UP_SECONDS = 3;
/** A machine's speed changes within seconds, so a round switches between the servers this often. */
const SLICE_SECONDS = 1;

const { rounds, seconds, only, withPeers, written } = options();
const isWanted = (name: string) => only.length === 0 || only.some((pattern) => pattern.test(name));

/** Starts the process that generates all load. */
function startLoad(): { measure(order: Order): Promise<Measured>; stop(): void } {
  const [command, given] = pinned(LOAD_CORE, process.execPath, [resolve(import.meta.dirname, "load.ts")]);
  const child: ChildProcess = spawn(command, given, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return {
    measure: (order) =>
      new Promise((done, fail) => {
        child.once("message", (reply: Reply) =>
          "measured" in reply ? done(reply.measured) : fail(new Error(reply.failed)),
        );
        child.send(order);
      }),
    stop: () => child.kill(),
  };
}

/** Parses the command line. Prints the mistake and exits if it is invalid. */
function options() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: "string", default: "9" },
        seconds: { type: "string", default: "5" },
        only: { type: "string", multiple: true, default: [] },
        peers: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    });
    const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
    if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error("--rounds takes a whole number above 0");
    if (!(seconds > 0)) throw new Error("--seconds takes a number above 0");
    const only = values.only.map((pattern) => new RegExp(pattern));
    const names = [...SCENARIOS.map(({ name }) => name), "start", "memory", "stored", "tasks", "outbox", "uploads"];
    if (only.length > 0 && !names.some((name) => only.some((pattern) => pattern.test(name)))) {
      throw new Error(`--only fits none of these:\n  ${names.join("\n  ")}`);
    }
    return { rounds, seconds, only, withPeers: values.peers, written: values.write };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

const wanted = SCENARIOS.filter(({ name }) => isWanted(name));
const field = await Field.open();
const load = startLoad();
const others = withPeers ? peers() : [];

async function measure(scenario: Scenario, rival: Rival, time: number): Promise<Entry & { readonly bytes: number }> {
  const { running, peer } = rival;
  const before = running.cpuMs();
  const given = { credentials: await field.trust.credentials(), ...(peer && { peer }) };
  const order = { scenario: scenario.name, port: running.port, connections: CONNECTIONS, seconds: time, given };
  const { requests, seconds: took, p50, p99, bytes } = await load.measure(order);
  const after = running.cpuMs();
  const cpuUs = before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / requests;
  return { perSecond: requests / took, p50, p99, cpuUs, bytes };
}

/**
 * Starts all servers of a scenario, warms them up and checks that their answers agree. New processes each time: two
 * processes of one program differ by up to a tenth for as long as they run, and idle servers of other scenarios would
 * take CPU.
 */
async function lineUp(scenario: Scenario): Promise<Rival[]> {
  await field.stopAll();
  const rivals: Rival[] = [{ name: "trivet", running: await field.trivet(scenario.place) }];
  for (const kind of scenario.against) rivals.push(...(await field.against(kind, scenario, others)));
  const bytes = new Map<string, number>();
  for (const rival of rivals) bytes.set(rival.name, (await measure(scenario, rival, WARM_UP_SECONDS)).bytes);
  const [ours, bares] = [bytes.get("trivet"), bytes.get("bare") ?? bytes.get("trivet")];
  if (ours !== bares) throw new Error(`${scenario.name}: bare answers ${bares} bytes, trivet ${ours}`);
  return rivals;
}

try {
  const races = wanted.map((scenario) => ({ scenario, entries: new Map<string, Entry[]>() }));
  const cold = isWanted("start") ? await coldStart(field, rounds) : undefined;
  const kept = isWanted("memory") ? await memory(load.measure, CONNECTIONS, field.folder) : undefined;
  const sections = [
    ...(isWanted("stored") ? storedPrinted(await stored(load.measure, field)) : []),
    ...(isWanted("tasks") ? tasksPrinted(await tasks(load.measure, CONNECTIONS)) : []),
    ...(isWanted("outbox") ? outboxPrinted(await outbox()) : []),
    ...(isWanted("uploads") ? uploadsPrinted(await uploads()) : []),
  ];
  const sizes: (readonly [name: string, kib: number])[] = [
    ["trivet, with one tool", gzipKib(await field.module("one"))],
    ...others.map((peer) => [peer.name, gzipKib(bundledPeer(peer))] as const),
  ];
  const found = (done: number) =>
    printed(races, cold, kept, others.length > 0 ? sizes : [], sections, {
      rounds: done,
      seconds,
      connections: CONNECTIONS,
      isPinned: canPin,
    });
  for (let round = 0; races.length > 0 && round < rounds; round++) {
    for (const { scenario, entries } of races) {
      const rivals = await lineUp(scenario);
      const slices = new Map<string, Entry[]>(rivals.map(({ name }) => [name, []]));
      const count = Math.max(1, Math.round(seconds / SLICE_SECONDS));
      for (let slice = 0; slice < count; slice++) {
        // Rotate who goes first.
        for (let index = 0; index < rivals.length; index++) {
          const rival = rivals[(index + round + slice) % rivals.length] as Rival;
          slices.get(rival.name)?.push(await measure(scenario, rival, seconds / count));
        }
      }
      for (const [name, all] of slices) entries.set(name, [...(entries.get(name) ?? []), joined(all)]);
    }
    console.error(`round ${round + 1} of ${rounds}`);
    // An interrupted long run still prints its results so far.
    if (written) write(found(round + 1), process.argv.slice(2));
  }
  const text = found(rounds);
  console.log(text);
  if (written) write(text, process.argv.slice(2));
} finally {
  load.stop();
  await field.end();
}
