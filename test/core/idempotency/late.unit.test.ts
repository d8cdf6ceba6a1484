/** The key of a call whose tool runs on after its time limit (docs/once.md, What a repeated call gets). */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { settle } from "../../../src/core/idempotency/idempotency.ts";
import type { Outcome } from "../../../src/core/model/outcome.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("stays taken for as long as the tool runs, and is free when the tool has obeyed its signal", async () => {
  const done: string[] = [];
  const claim = {
    settle: async () => "kept",
    extendLease: async (ms: number) => done.push(`extended by ${ms}`) > 0,
    release: async () => void done.push("released"),
  };
  const tool = { runtime: { defer: () => {}, now: Date.now }, primitive: { options: {} }, caller: {}, context: {} };
  const late = Promise.withResolvers<Outcome | undefined>();
  const timedOut: Outcome = { kind: "timed_out", limitMs: 3_000 };
  await settle(tool as never, { claim } as never, { outcome: timedOut, durationMs: 3_000, late: late.promise });
  await vi.advanceTimersByTimeAsync(150_000);
  expect(done).toEqual(["extended by 0", "extended by 0"]);
  late.resolve(undefined);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(done.slice(2)).toEqual(["released"]);
});
