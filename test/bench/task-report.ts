/** Formats what tasks.ts measured as tables. */
import { count, machine, median, ratios, table } from "./report.ts";
import { isPlain, type TaskRow, type Tasks, type Thousand } from "./tasks.ts";

export function tasksPrinted({ rows, thousand }: Tasks): string[] {
  const plain = rows.find(isPlain);
  return [
    "## Tasks",
    `Measured by \`npm run bench -- --only tasks --write\` on ${new Date().toISOString().slice(0, 10)}, on ${machine()}. It does what the start of this page says, but fewer requests, so its ratios are rougher.`,
    "Announcing and polling tasks of long tools (MCP 2026-07-28), beside calls of the same deployment, in turn: medians of the rounds. workerd runs as miniflare sets it up, with the engine of Workflows that it brings, in the same process and on the same core, and every write waits for the disk; on Cloudflare the engine runs elsewhere. CPU counts until the process is idle again, so with the whole run of each task:",
    table(
      ["requests", "a second", "p50 ms", "p99 ms", "CPU ms", "of a plain call"],
      rows.map((row) => line(row, plain)),
    ),
    "1,000 tasks that wait five seconds, announced over 100 connections. The seconds until all are announced, and until a client that polls one after the other has seen all finished; the memory of the process, and of JavaScript's heap once garbage is collected, in MiB. Most of the process's memory is the local engine's: it keeps an object with a database for each run. The heap is that of the Worker, its ledgers and the runs:",
    table(
      [
        "principals",
        "announced",
        "finished",
        "before",
        "peak",
        "after",
        "KiB a task",
        "heap before",
        "all announced",
        "after",
      ],
      thousand.map(lineOf),
    ),
  ];
}

function line({ name, entries, perSecond, cpuUs }: TaskRow, plain: TaskRow | undefined): string[] {
  const asEntries = (values: readonly number[]) => values.map((value) => ({ perSecond: value }) as never);
  const share = plain && median(ratios(asEntries(perSecond), asEntries(plain.perSecond)));
  return [
    name,
    count(median(perSecond)),
    (median(entries.map(({ p50 }) => p50)) / 1_000).toFixed(1),
    (median(entries.map(({ p99 }) => p99)) / 1_000).toFixed(1),
    (median(cpuUs) / 1_000).toFixed(2),
    share === undefined ? "" : share.toFixed(3),
  ];
}

function lineOf(one: Thousand): string[] {
  const perTask = ((one.peak - one.before) * 1_024) / 1_000;
  const fixed = (...values: number[]) => values.map((value) => value.toFixed(1));
  return [
    String(one.principals),
    ...fixed(one.announced, one.finished, one.before, one.peak, one.after),
    perTask.toFixed(0),
    ...fixed(one.heapBefore, one.heapWorking, one.heapAfter),
  ];
}
