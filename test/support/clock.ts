/** The clock of the Worker and its objects, in tests that run in their isolate. */
import { vi } from "vitest";

/** Sets it forward by so many milliseconds. Only the date, so that everything else runs: end it with vi.useRealTimers(). */
export function travel(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(now + ms);
}
