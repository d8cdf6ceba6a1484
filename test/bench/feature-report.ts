/** Formats what outbox.ts and uploads.ts measured as tables. */
import type { OutboxRow } from "./outbox.ts";
import { count, machine, median, table } from "./report.ts";
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
