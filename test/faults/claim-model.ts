/**
 * A model of what a claim on a key promises: the history of one key instead of rows in a table. Property tests run the
 * same steps through the model and the implementation, and compare every answer.
 */
import * as fc from "fast-check";
import type { LeaseAttempt, LeaseVerdict } from "../../src/core/idempotency/lease.ts";

/** A runner's next step. It uses the token of its current attempt until it begins another. */
export type Step =
  | { readonly does: "claim"; readonly runner: number; readonly fingerprint: string; readonly leaseMs: number }
  /** Repeats the same claim, as if the answer to the first one was lost. */
  | { readonly does: "reclaim"; readonly runner: number }
  | { readonly does: "settle"; readonly runner: number }
  | { readonly does: "release"; readonly runner: number }
  | { readonly does: "forsake"; readonly runner: number }
  | { readonly does: "extend"; readonly runner: number; readonly leaseMs: number }
  | { readonly does: "wait"; readonly ms: number };

const RUNNERS = 4;
export const KEEP_MS = 1_000;

const runner = fc.nat(RUNNERS - 1);
const leaseMs = fc.integer({ min: 1, max: 200 });
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant("claim" as const),
        runner,
        fingerprint: fc.constantFrom("same", "same", "same", "other"),
        leaseMs,
      }),
    },
    { weight: 2, arbitrary: fc.record({ does: fc.constant("reclaim" as const), runner }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constantFrom("settle", "release", "forsake"), runner }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("extend" as const), runner, leaseMs }) },
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constant("wait" as const),
        // Exactly at the end of a lease, nowhere near one, and after everything kept has expired.
        ms: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(KEEP_MS - 1, KEEP_MS, 3 * KEEP_MS)),
      }),
    },
  ) as fc.Arbitrary<Step>,
  { maxLength: 40 },
);

export type Settled = "kept" | "lost";

/** The implementation under test. */
export interface Subject {
  claim(attempt: LeaseAttempt, now: number): LeaseVerdict | Promise<LeaseVerdict>;
  /** Settles an attempt with the result that the runner would store. */
  settle(attempt: LeaseAttempt, result: string, now: number): Settled | Promise<Settled>;
  release(token: string, now: number): void | Promise<void>;
  forsake(token: string, now: number): void | Promise<void>;
  /** Returns whether the runner still holds the key. */
  extend(token: string, leaseMs: number, now: number): boolean | Promise<boolean>;
  /** The result that a caller would get now. Left out if the implementation stores no results. */
  result?(now: number): (string | undefined) | Promise<string | undefined>;
}

/** One key, from its first claim until it is forgotten or released. */
interface Life {
  readonly fingerprint: string;
  /** The tokens that got the lease, in order. The last one holds it until `until`. */
  readonly holders: string[];
  until: number;
  end: number;
  result?: string;
}

/** Runs the steps through model and implementation. `start` is the time of the first step in milliseconds. */
export async function follow(steps: readonly Step[], subject: Subject, start: number, travel?: (to: number) => void) {
  let now = start;
  let life: Life | undefined;
  let made = 0;
  const attempts = new Map<number, LeaseAttempt>();
  // Every lease that the implementation granted, and when it ended: no two may overlap.
  const leases: { token: string; from: number; until: number }[] = [];
  const cut = (token: string) => {
    for (const lease of leases) if (lease.token === token) lease.until = Math.min(lease.until, now);
  };

  const claimed = ({ token, fingerprint, leaseMs, keepMs }: LeaseAttempt): LeaseVerdict => {
    if (life === undefined) {
      life = { fingerprint, holders: [token], until: now + leaseMs, end: now + leaseMs + keepMs };
      return { state: "claimed", again: false };
    }
    if (life.fingerprint !== fingerprint) return { state: "conflict" };
    if (life.result !== undefined) return { state: "done" };
    const holder = life.holders.at(-1);
    if (holder !== token && now < life.until) return { state: "running", untilMs: life.until };
    if (holder !== token) life.holders.push(token);
    life.until = now + leaseMs;
    life.end = now + leaseMs + keepMs;
    return { state: "claimed", again: life.holders.some((other) => other !== token) };
  };

  for (const step of steps) {
    if (step.does === "wait") {
      now += step.ms;
      travel?.(now);
    }
    if (life && life.end <= now) life = undefined;
    if (step.does !== "wait") {
      let attempt = attempts.get(step.runner);
      if (step.does === "claim") {
        const token = `${step.runner}.${++made}`;
        attempt = { token, fingerprint: step.fingerprint, leaseMs: step.leaseMs, keepMs: KEEP_MS };
        attempts.set(step.runner, attempt);
      }
      if (attempt === undefined) continue;
      const { token, fingerprint } = attempt;
      const isMine = life?.holders.at(-1) === token;
      switch (step.does) {
        case "claim":
        case "reclaim": {
          const expected = claimed(attempt);
          const answer = await subject.claim(attempt, now);
          same(answer, expected, step);
          if (answer.state === "claimed") {
            cut(token);
            leases.push({ token, from: now, until: now + attempt.leaseMs });
          }
          break;
        }
        case "settle": {
          const result = `result of ${token}`;
          let expected: Settled = "kept";
          if (life === undefined) {
            life = { fingerprint, holders: [token], until: now, end: now + KEEP_MS, result };
          } else if (!isMine) {
            expected = "lost";
          } else if (life.result === undefined) {
            life.result = result;
            life.end = now + KEEP_MS;
          }
          same(await subject.settle(attempt, result, now), expected, step);
          if (expected === "kept") cut(token);
          break;
        }
        case "release":
          if (isMine && life?.result === undefined) {
            life = undefined;
            cut(token);
          }
          await subject.release(token, now);
          break;
        case "forsake":
          if (life && isMine && life.result === undefined) {
            life.until = now;
            cut(token);
          }
          await subject.forsake(token, now);
          break;
        case "extend": {
          const has = isMine && life?.result === undefined;
          if (life && has) {
            const until = Math.max(life.until, now + step.leaseMs);
            life.end += until - life.until;
            life.until = until;
            cut(token);
            leases.push({ token, from: now, until });
          }
          same(await subject.extend(token, step.leaseMs, now), has, step);
          break;
        }
      }
    }
    if (subject.result) same(await subject.result(now), life?.result, step);
  }

  for (const one of leases) {
    for (const other of leases) {
      if (one.token !== other.token && one.from < other.until && other.from < one.until) {
        throw new Error(`Two leases at a time: ${JSON.stringify([one, other])}`);
      }
    }
  }
}

function same(actual: unknown, expected: unknown, step: Step): void {
  const [is, should] = [canonicalJson(actual), canonicalJson(expected)];
  if (is !== should) throw new Error(`${JSON.stringify(step)}: answered ${is}, expected ${should}`);
}

/** JSON with sorted members, so that their order does not matter. */
function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return JSON.stringify(Object.entries(value).sort());
}
