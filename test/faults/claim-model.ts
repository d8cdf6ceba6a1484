/**
 * What a claim on a key promises, written down a second time: as the history of one key, and not as rows. Property tests
 * run the same steps through this and through what is tested, and compare every answer.
 */
import * as fc from "fast-check";
import type { LeaseAttempt, LeaseVerdict } from "../../src/core/idempotency/lease.ts";

/** What a runner does next. It bears the token of its current attempt, until it begins another. */
export type Step =
  | { readonly does: "claim"; readonly runner: number; readonly fingerprint: string; readonly leaseMs: number }
  /** The same claim again: the answer to the one before was lost. */
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
        // To the very millisecond of a lease's end, far from any, and past all that is kept.
        ms: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(KEEP_MS - 1, KEEP_MS, 3 * KEEP_MS)),
      }),
    },
  ) as fc.Arbitrary<Step>,
  { maxLength: 40 },
);

export type Settled = "kept" | "lost";

/** What is tested, as the steps drive it. */
export interface Subject {
  claim(attempt: LeaseAttempt, now: number): LeaseVerdict | Promise<LeaseVerdict>;
  /** @param result what the runner would keep */
  settle(attempt: LeaseAttempt, result: string, now: number): Settled | Promise<Settled>;
  release(token: string, now: number): void | Promise<void>;
  forsake(token: string, now: number): void | Promise<void>;
  /** @returns whether the key is still that runner's */
  extend(token: string, leaseMs: number, now: number): boolean | Promise<boolean>;
  /** The result that a caller would be told now; undefined where the subject keeps none itself. */
  result?(now: number): (string | undefined) | Promise<string | undefined>;
}

/** One key from its first claim until it is forgotten or given back. */
interface Life {
  readonly fingerprint: string;
  /** Who was given the lease, in turn; the last has it until `until`. */
  readonly holders: string[];
  until: number;
  end: number;
  result?: string;
}

/** @param start what time it is when the steps begin, in milliseconds */
export async function follow(steps: readonly Step[], subject: Subject, start: number, travel?: (to: number) => void) {
  let now = start;
  let life: Life | undefined;
  let made = 0;
  const attempts = new Map<number, LeaseAttempt>();
  // Every lease that the subject gave, and until when it counted: no two may overlap.
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
  const [is, should] = [inText(actual), inText(expected)];
  if (is !== should) throw new Error(`${JSON.stringify(step)}: answered ${is}, expected ${should}`);
}

/** Members in one order, whoever made the object. */
function inText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return JSON.stringify(Object.entries(value).sort());
}
