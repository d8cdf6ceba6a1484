/** Formats what outbox.ts and uploads.ts measured as tables. */
import type { Measured } from "./load.ts";
import type { OutboxRow } from "./outbox.ts";
import { count, machine, median, table } from "./report.ts";
import type { StoredRow } from "./stored.ts";
import type { UploadRow } from "./uploads.ts";

const by = (only: string) =>
  `Measured by \`npm run bench -- --only ${only} --write\` on ${new Date().toISOString().slice(0, 10)}, on ${machine()}. workerd runs as miniflare sets it up, and every write waits for the disk.`;

export function outboxPrinted(rows: readonly OutboxRow[]): string[] {
  return [
    "## Events",
    by("outbox"),
    "Events on their way from a tool to a receiver that acknowledges at once: calls over OXP with an HS256 token, over 32 connections, each of which emits an event to one subscription of its principal. The seconds until the last call is answered and until the last event has arrived, and events a second until then; CPU with the call:",
    table(
      ["events", "principals", "emitted", "delivered", "a second", "CPU ms an event"],
      rows.map(({ events, principals, emitted, delivered, cpuMs }) => [
        ...[count(events), String(principals), emitted.toFixed(1), delivered.toFixed(1)],
        ...[count(events / delivered), cpuMs.toFixed(2)],
      ]),
    ),
    "For each event, counted in a run of its own: rows of the outbox, alarms that it sets, and requests to the object without those of alarms. In MiB, the memory of the process before and at most (V8 takes what it likes, as in the table of memory above), and of JavaScript's heap once garbage is collected, before and after:",
    table(
      ["principals", "rows written", "rows read", "alarms", "requests", "process", "at most", "heap", "after"],
      rows.map(({ principals, written, read, alarms, before, peak, heapBefore, heapAfter }) => [
        ...[String(principals), written.toFixed(1), read.toFixed(1), alarms.toFixed(4), "1"],
        ...[before, peak, heapBefore, heapAfter].map((mib) => mib.toFixed(1)),
      ]),
    ),
  ];
}

export function storedPrinted(rows: readonly StoredRow[]): string[] {
  const ms = (all: readonly Measured[], of: "p50" | "p99") => median(all.map((one) => one[of])) / 1_000;
  return [
    "## What is stored",
    by("stored"),
    "Keyed calls, whose key and result are in an object, and calls in a session on KV, beside a bare Worker whose calls each ask one object to write one row, in turn: milliseconds until the response, medians of the rounds; and the bare Worker's share of Trivet's median. KV is a Worker in the same process: on Cloudflare, a write goes to a central store.",
    table(
      ["call", "connections", "p50 ms", "p99 ms", "bare p50", "bare p99", "of bare"],
      rows.map(({ name, connections, trivet, bare }) => [
        ...[name, String(connections), ms(trivet, "p50").toFixed(2), ms(trivet, "p99").toFixed(2)],
        ...[ms(bare, "p50").toFixed(2), ms(bare, "p99").toFixed(2), (ms(bare, "p50") / ms(trivet, "p50")).toFixed(2)],
      ]),
    ),
  ];
}

export function uploadsPrinted(rows: readonly UploadRow[]): string[] {
  return [
    "## Uploads",
    by("uploads"),
    "Uploads to a presigned URL, beside a bare Worker that stores the same bytes in R2 and neither limits nor hashes them, in turn: medians of the rounds. Miniflare's R2 is in the same process, on the same core, and most of the work is its own; on Cloudflare it runs elsewhere.",
    table(
      ["file", "at once", "server", "MB a second", "of bare", "CPU ms a file"],
      rows.flatMap(({ megabytes, abreast, trivet, bare, trivetCpuMs, bareCpuMs }) => {
        const ratio = median(trivet.map((rate, round) => rate / (bare[round] ?? Number.NaN)));
        return [
          [
            ...[`${megabytes} MB`, String(abreast), "trivet", median(trivet).toFixed(1), ratio.toFixed(2)],
            median(trivetCpuMs).toFixed(0),
          ],
          ["", "", "bare", median(bare).toFixed(1), "", median(bareCpuMs).toFixed(0)],
        ];
      }),
    ),
  ];
}
