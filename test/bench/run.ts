/**
 * `npm run bench`: how fast the deployed Worker is, as a share of a Worker that does nothing but the work.
 *
 *   --rounds N     how often each scenario is measured (9); the medians count
 *   --seconds N    how long, each time (5)
 *   --only REGEXP  only scenarios whose name fits, "start" or "memory"; more than once for more
 *   --peers        against other MCP servers, too: installs them
 *   --write        writes the tables to test/bench/RESULTS.md
 *
 * Machines are noisy and differ: within a round everyone is measured one after the other, and only ratios are compared.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { coldStart } from "./cold.ts";
import { bundledPeer, Field, gzipKib, peers, type Rival } from "./contestants.ts";
import type { Measured, Order, Reply } from "./load.ts";
import { memory } from "./memory.ts";
import { type Entry, joined, printed, write } from "./report.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { canPin, LOAD_CORE, pinned } from "./server.ts";

const CONNECTIONS = 32;
/** In the second after the first, V8 still optimizes: whoever has more code than bare is at 0.7 of it there. */
const WARM_UP_SECONDS = 3;
/** A machine's speed changes within seconds: a round goes from one server to the next so often. */
const SLICE_SECONDS = 1;

const { rounds, seconds, only, withPeers, written } = options();
const isWanted = (name: string) => only.length === 0 || only.some((pattern) => pattern.test(name));

/** One process makes all the load. */
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

/** What was asked for; says what is wrong with it, and ends, where it makes no sense. */
function options() {
  try {
    const { values: asked } = parseArgs({
      options: {
        rounds: { type: "string", default: "9" },
        seconds: { type: "string", default: "5" },
        only: { type: "string", multiple: true, default: [] },
        peers: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    });
    const [rounds, seconds] = [Number(asked.rounds), Number(asked.seconds)];
    if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error("--rounds takes a whole number above 0");
    if (!(seconds > 0)) throw new Error("--seconds takes a number above 0");
    const only = asked.only.map((pattern) => new RegExp(pattern));
    const names = [...SCENARIOS.map(({ name }) => name), "start", "memory"];
    if (only.length > 0 && !names.some((name) => only.some((pattern) => pattern.test(name)))) {
      throw new Error(`--only fits none of these:\n  ${names.join("\n  ")}`);
    }
    return { rounds, seconds, only, withPeers: asked.peers, written: asked.write };
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
 * Starts everyone anew, and sees that all are warm and answer alike: two processes of one program differ by up to a tenth
 * all their lives, and those of other scenarios would take their share of the machine.
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
  const sizes: (readonly [name: string, kib: number])[] = [
    ["trivet, with one tool", gzipKib(field.module("one"))],
    ...others.map((peer) => [peer.name, gzipKib(bundledPeer(peer))] as const),
  ];
  const found = (done: number) =>
    printed(races, cold, kept, others.length > 0 ? sizes : [], {
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
        // Nobody is always first.
        for (let index = 0; index < rivals.length; index++) {
          const rival = rivals[(index + round + slice) % rivals.length] as Rival;
          slices.get(rival.name)?.push(await measure(scenario, rival, seconds / count));
        }
      }
      for (const [name, all] of slices) entries.set(name, [...(entries.get(name) ?? []), joined(all)]);
    }
    console.error(`round ${round + 1} of ${rounds}`);
    // A long run that is stopped leaves what it has.
    if (written) write(found(round + 1), process.argv.slice(2));
  }
  const text = found(rounds);
  console.log(text);
  if (written) write(text, process.argv.slice(2));
} finally {
  load.stop();
  await field.end();
}
