/** What the rig is put through, at any size, and the counts of what happened. */

export interface Weather {
  readonly seed: number;
  /** Milliseconds until the other locations see a write, at most. */
  readonly visibleMs: number;
  /** Milliseconds for which a location caches a read, including a miss. */
  readonly cacheMs: number;
  /** Milliseconds in which a name accepts one write; others are refused (429). */
  readonly writeMs: number;
  /** Share of writes that KV confirms and loses. */
  readonly dropped: number;
  /** Share of reads and writes that throw. */
  readonly failed: number;
  /** Names with this prefix are out of reach: "" for all of KV. */
  readonly down?: string;
  /** Milliseconds that a write takes. */
  readonly slowMs?: number;
}

export const FAIR: Weather = { seed: 1, visibleMs: 0, cacheMs: 0, writeMs: 0, dropped: 0, failed: 0 };

export interface Plan {
  readonly seed: number;
  /** Number of the first key. `to` is one more than the last. */
  readonly from: number;
  readonly to: number;
  /** Number of keys in progress at a time. */
  readonly abreast: number;
  readonly store: "claims" | "kv";
  readonly ttlSeconds: number;
  /**
   * Share of keys with a runner that dies. Of those, `torn` is the share where it dies after its effect, before
   * settling.
   */
  readonly killed: number;
  readonly torn: number;
}

/** The counts over all keys of a plan. */
export interface Tally {
  keys: number;
  requests: number;
  retries: number;
  dropped: number;
  /**
   * Keys whose effect happened more than once, and the surplus effects. Runners killed after their effect count as
   * torn.
   */
  twice: number;
  extra: number;
  torn: number;
  tornTwice: number;
  /**
   * Keys that ran twice with a runner that outlived its lease, and the longest time for which the process stood still.
   */
  lateTwice: number;
  stillMs: number;
  /** Keys with two callers that got different results. */
  disagreeing: number;
  /** Callers without a result in the end, and answers that were neither a result nor retryable. */
  stuck: number;
  wrong: number;
  why: Record<string, number>;
  samples: string[];
}

export function noTally(): Tally {
  const nothing = { keys: 0, requests: 0, retries: 0, dropped: 0, twice: 0, extra: 0, torn: 0, tornTwice: 0 };
  return { ...nothing, lateTwice: 0, stillMs: 0, disagreeing: 0, stuck: 0, wrong: 0, why: {}, samples: [] };
}

/** One in ten writes is lost or refused, and one in fifty reads fails. KV's minute is 100 ms here. */
export const WEATHER: Partial<Weather> = {
  seed: 7,
  visibleMs: 100,
  cacheMs: 100,
  writeMs: 20,
  dropped: 0.05,
  failed: 0.02,
};
/** A time to live longer than any run, even on a slow machine: after it, a key would belong to a new call. */
export const PLAN = { seed: 1, ttlSeconds: 36_000, killed: 0.2, torn: 0.1 } satisfies Partial<Plan>;
export const ABREAST = 40;
