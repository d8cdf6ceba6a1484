/** Formats the results of a run as tables. */
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { resolve } from "node:path";
import type { Cold } from "./cold.ts";
import type { Memory, MemoryRow } from "./memory.ts";
import type { Scenario } from "./scenarios.ts";
import { WORKERD_VERSION } from "./server.ts";

/** One measurement. Times are in microseconds. */
export interface Entry {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server per request; undefined if the system does not report it. */
  readonly cpuUs: number | undefined;
}

/** A scenario's measurements by server. */
export interface Row {
  readonly scenario: Scenario;
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
}

export interface Setting {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly isPinned: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Combines the slices of one round, which are all equally long, into one measurement. */
export function joined(slices: readonly Entry[]): Entry {
  const mean = (pick: (entry: Entry) => number | undefined) =>
    slices.reduce((sum, slice) => sum + (pick(slice) ?? Number.NaN), 0) / slices.length;
  const cpuUs = mean(({ cpuUs: own, perSecond }) => own && own * perSecond) / mean(({ perSecond }) => perSecond);
  return {
    perSecond: mean(({ perSecond }) => perSecond),
    p50: median(slices.map(({ p50 }) => p50)),
    p99: median(slices.map(({ p99 }) => p99)),
    cpuUs: Number.isNaN(cpuUs) ? undefined : cpuUs,
  };
}

/** Throughput as a share of another server's, for each round (measured within seconds of each other). Ascending. */
export function ratios(ours: readonly Entry[], theirs: readonly Entry[]): number[] {
  const all = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN));
  return all.sort((a, b) => a - b);
}

const HEAD = [
  "scenario",
  "server",
  "requests/s",
  "p50 µs",
  "p99 µs",
  "CPU µs",
  "of bare",
  "half of the rounds",
  "target",
];
export const count = (value: number) => Math.round(value).toLocaleString("en");

function lines({ scenario, entries }: Row): string[][] {
  const bare = entries.get("bare");
  return [...entries].map(([name, all]) => {
    const of = (pick: (entry: Entry) => number | undefined) => median(all.map((entry) => pick(entry) ?? Number.NaN));
    const cpu = of(({ cpuUs }) => cpuUs);
    const shares = bare && name !== "bare" ? ratios(all, bare) : undefined;
    const share = shares && median(shares);
    const target = name === "trivet" ? scenario.target : undefined;
    return [
      name === "trivet" ? scenario.name : "",
      name,
      count(of(({ perSecond }) => perSecond)),
      count(of(({ p50 }) => p50)),
      count(of(({ p99 }) => p99)),
      Number.isNaN(cpu) ? "" : cpu.toFixed(1),
      share === undefined ? "" : share.toFixed(2),
      shares === undefined ? "" : middle(shares),
      target === undefined ? "" : `≥ ${target}${share !== undefined && share < target ? ", missed" : ""}`,
    ];
  });
}

/** The interquartile range. */
function middle(ascending: readonly number[]): string {
  const at = (share: number) => (ascending[Math.round((ascending.length - 1) * share)] ?? Number.NaN).toFixed(2);
  return `${at(0.25)} to ${at(0.75)}`;
}

export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const all = [head, head.map(() => "---"), ...body];
  return all.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** The length of run from which ratios are reliable. */
const ROUNDS_TO_JUDGE_BY = 9;
const SECONDS_TO_JUDGE_BY = 5;
const TOO_SHORT = `Fewer than ${ROUNDS_TO_JUDGE_BY} rounds of ${SECONDS_TO_JUDGE_BY} s: a ratio may be off by a tenth, and a target met or missed by chance.`;

export function printed(
  rows: readonly Row[],
  cold: Cold | undefined,
  memory: Memory | undefined,
  sizes: readonly (readonly [name: string, kib: number])[],
  sections: readonly string[],
  { rounds, seconds, connections, isPinned }: Setting,
): string {
  const parts: string[] = [];
  if (rows.length > 0) {
    parts.push(
      `Medians of ${rounds} rounds of ${seconds} s, over ${connections} connections; the server ${isPinned ? "has one core, the load another" : "shares its cores with the load"}.`,
      ...(rounds < ROUNDS_TO_JUDGE_BY || seconds < SECONDS_TO_JUDGE_BY ? [TOO_SHORT] : []),
      table(HEAD, rows.flatMap(lines)),
    );
  }
  if (cold) {
    parts.push(
      "From the start of the process to its first answer, in milliseconds:",
      table(
        ["tools", "start to first answer", "of one tool"],
        cold.map(({ tools, ms, ofOne }) => [count(tools), ms.toFixed(1), ofOne.toFixed(2)]),
      ),
    );
  }
  if (memory) {
    parts.push(
      "Memory after so many calls, once garbage is collected, in MiB: of the process, which keeps what it was given at the busiest moment, and in use of JavaScript's heap. In a heap as large as an isolate's may be on Workers (128 MB):",
      memoryTable(memory.limited),
      "And where V8 takes what it likes, as workerd lets it by itself: it makes room for new objects ahead of the need, up to the same end for both, which whoever allocates more reaches earlier:",
      memoryTable(memory.unlimited),
    );
  }
  if (sizes.length > 0) {
    const body = sizes.map(([name, kib]) => [name, kib.toFixed(1)]);
    parts.push("What is uploaded, minified and after gzip, in KiB:", table(["server", "KiB"], body));
  }
  parts.push(...sections);
  return parts.join("\n\n");
}

function memoryTable(rows: readonly MemoryRow[]): string {
  return table(
    ["calls", "trivet", "bare", "of bare", "trivet's heap", "bare's heap"],
    rows.map(({ calls, trivet, bare }) => [
      count(calls),
      trivet.process.toFixed(1),
      bare.process.toFixed(1),
      (trivet.process / bare.process).toFixed(2),
      trivet.heap.toFixed(2),
      bare.heap.toFixed(2),
    ]),
  );
}

const quoted = (word: string) => (/^[\w./-]+$/.test(word) ? word : `"${word}"`);

export function machine(): string {
  const [core] = cpus();
  return `${availableParallelism()} cores of ${core?.model.trim() ?? "an unknown kind"}, Node ${process.versions.node}, workerd ${WORKERD_VERSION}`;
}

/** The text before the sections, and these by their first line. */
function sectionsOf(text: string): { readonly start: string; readonly sections: ReadonlyMap<string, string> } {
  const [start = "", ...others] = `\n${text}`.split(/\n(?=## )/);
  return { start, sections: new Map(others.map((one) => [one.slice(0, one.indexOf("\n")), one.trim()])) };
}

/** Writes RESULTS.md. Sections, such as that of tasks, that the run has not measured stay as they are. */
export function write(text: string, given: readonly string[]): void {
  const file = resolve(import.meta.dirname, "RESULTS.md");
  const known = sectionsOf(readFileSync(file, "utf8"));
  const found = sectionsOf(text);
  const sections = [...new Map([...known.sections, ...found.sections]).values()];
  const whole = (start: string) => writeFileSync(file, `${[start.trim(), ...sections].join("\n\n")}\n`);
  if (found.start.trim() === "") {
    whole(known.start);
    return;
  }
  const head = `# What a run of the benchmark found

Written by \`npm run bench -- ${given.map(quoted).join(" ")}\` on ${new Date().toISOString().slice(0, 10)}, on ${machine()}.

*Bare* is a Worker without framework that parses, looks at two numbers and answers the same bytes; *hono+valibot* is one
route of Hono's with \`safeParse\`. *Legacy* is MCP up to 2025-11-25, *modern* 2026-07-28; a *keyed* call has an
idempotency key, and its *replay* is the same call sent again. Targets are those that the project set itself.

Ratios are what counts: requests per second as a share of bare's. A round goes from server to server each second and
gives one ratio for each; *of bare* is the median of these (so it is not quite that of the medians beside it, which a
machine's changes of speed move apart), and half of the rounds lay between what is said beside it. Two processes of one
program differ by up to a tenth: each round begins with new ones. Nobody logs anything, unless a row says so: a
deployment does as it comes (\`LOG_CALLS\`). Peers are set up as their own documents say is fastest. mcp-lite is asked for
JSON alone, and once more with both kinds accepted, as the protocol has it of every client, to which it answers with a
stream; fastmcp answers without structured content.

Does another load generator see the same? wrk (one thread, the same requests, on the load's core) was run beside this
one, against the same processes in turn: three pairs of new processes, medians of six slices of 2 s. Neither flatters:
with 16 and 32 connections wrk put OXP at 0.88 and 0.91 of bare, MCP legacy at 0.86 and 0.78, and modern at 0.82 and
0.88; this one said 0.88 and 0.84, 0.83 and 0.86, and 0.87 and 0.93. The server was busy all the time either way, and
the differences are those between pairs of processes. (The code measured then is that of 2026-11-23, in which \`execute\`
and the endpoints are straight async functions; the table is older where it says so above.)
`;
  whole(`${head}\n${found.start.trim()}`);
}
