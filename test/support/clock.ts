/** The clock of the Worker and its objects, in tests that run in their isolate. */
import { vi } from "vitest";

/** Sets it forward by so many milliseconds. Only the date, so that everything else runs: end it with vi.useRealTimers(). */
export function travel(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(now + ms);
}

/** Does something while no limit of AbortSignal.timeout is over 20 ms. */
export async function impatiently<Result>(act: () => Promise<Result>): Promise<Result> {
  const { timeout } = AbortSignal;
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout.call(AbortSignal, Math.min(ms, 20)));
  try {
    return await act();
  } finally {
    spy.mockRestore();
  }
}
