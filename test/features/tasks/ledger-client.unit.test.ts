/** How often a run reports its progress. (What tasks do is tested over HTTP.) */
import { afterEach, expect, it, vi } from "vitest";
import type { TaskLedger } from "../../../src/core/ports/task-ledger.ts";
import { LedgerClient } from "../../../src/features/tasks/run/ledger-client.ts";

afterEach(() => void vi.useRealTimers());

it("stores reports every second at first, and every ten in the end", async () => {
  vi.useFakeTimers();
  const times: number[] = [];
  const started = Date.now();
  const beat = async (_: string, __: number, report?: string) => {
    if (report !== undefined) times.push((Date.now() - started) / 1_000);
    return {};
  };
  const link = new LedgerClient({
    id: "t",
    begun: { run: 1, asked: [] },
    ledger: { beat } as unknown as TaskLedger,
    seal: { seal: async () => "sealed", open: async () => undefined as never },
    beatMs: 3_600_000,
    log: () => {},
  });
  for (let ms = 0; ms < 600_000; ms += 100) {
    link.progress(ms, 600_000, undefined);
    await vi.advanceTimersByTimeAsync(100);
  }
  link.end();
  expect(times.filter((time) => time <= 10)).toHaveLength(10);
  expect(times.length).toBeLessThan(90);
  const last = times.slice(-2);
  expect((last[1] as number) - (last[0] as number)).toBeGreaterThanOrEqual(10);
});
