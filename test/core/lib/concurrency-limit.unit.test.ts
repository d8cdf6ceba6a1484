/** A limit of work at a time, when some of the work is cut short and never gives its turn back. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ConcurrencyLimit } from "../../../src/core/lib/concurrency-limit.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1e12 });
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

it("a turn that is never ended is free after its time, unless it is renewed", () => {
  const limit = new ConcurrencyLimit({ most: 9, each: 2, forMs: 1_000 });
  const renewed = limit.begin("a");
  limit.begin("a");
  expect(limit.begin("a")).toBeUndefined();
  expect(limit.begin("b")).toBeDefined();
  pass(900);
  renewed?.renew();
  pass(900);
  expect(limit.begin("a")).toBeDefined();
  expect(limit.begin("a")).toBeUndefined();
  renewed?.end();
  expect(limit.begin("a")).toBeDefined();
});

it("a turn that was free already counts again when it is renewed, until it ends", () => {
  const limit = new ConcurrencyLimit({ most: 9, each: 1, forMs: 1_000 });
  const late = limit.begin("a");
  pass(1_000);
  limit.begin("b");
  late?.renew();
  expect(limit.begin("a")).toBeUndefined();
  late?.end();
  expect(limit.begin("a")).toBeDefined();
});
