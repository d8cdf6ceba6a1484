/** What the rig is put through, at any size, and what came of it. */

export interface Weather {
  readonly seed: number;
  /** Milliseconds until the other locations see a write, at most. */
  readonly visibleMs: number;
  /** Milliseconds that a location repeats what it read, or did not find. */
  readonly cacheMs: number;
  /** Milliseconds within which a name takes one write; another is refused (429). */
  readonly writeMs: number;
  /** Of writes: the part that is said to be done and is not. */
  readonly dropped: number;
  /** Of reads and writes: the part that throws. */
  readonly failed: number;
  /** Names that begin so are out of reach: "" for all of KV. */
  readonly down?: string;
  /** Milliseconds that a write takes. */
  readonly slowMs?: number;
}

export const FAIR: Weather = { seed: 1, visibleMs: 0, cacheMs: 0, writeMs: 0, dropped: 0, failed: 0 };

export interface Plan {
  readonly seed: number;
  /** Number of the first key, and of the last but one. */
  readonly from: number;
  readonly to: number;
  /** Keys whose callers are under way at a time. */
  readonly abreast: number;
  readonly ledger: "claims" | "kv";
  readonly ttlSeconds: number;
  /** Of the keys: the part where a runner dies; and of these, the part where it does between its effect and settling it. */
  readonly killed: number;
  readonly torn: number;
}

/** What happened to all keys of a plan. */
export interface Tally {
  keys: number;
  requests: number;
  retries: number;
  dropped: number;
  /** Keys whose tool had its effect more often than once, and how often more; runners torn from their effect apart. */
  twice: number;
  extra: number;
  torn: number;
  tornTwice: number;
  /** Keys run twice of which a runner was seen to go on past its lease; and the longest that the process stood still. */
  lateTwice: number;
  stillMs: number;
  /** Keys for which two callers were told different results. */
  disagreeing: number;
  /** Callers who had no result in the end, and answers that were neither a result nor retryable. */
  stuck: number;
  wrong: number;
  why: Record<string, number>;
  samples: string[];
}

export function noTally(): Tally {
  const nothing = { keys: 0, requests: 0, retries: 0, dropped: 0, twice: 0, extra: 0, torn: 0, tornTwice: 0 };
  return { ...nothing, lateTwice: 0, stillMs: 0, disagreeing: 0, stuck: 0, wrong: 0, why: {}, samples: [] };
}

/** One of ten writes lost or refused, one of fifty reads failed; a minute of KV's is 100 ms here. */
export const WEATHER: Partial<Weather> = {
  seed: 7,
  visibleMs: 100,
  cacheMs: 100,
  writeMs: 20,
  dropped: 0.05,
  failed: 0.02,
};
/** A time to live that no run outlasts, however slow the machine: past it, a key is another call's. */
export const PLAN = { seed: 1, ttlSeconds: 36_000, killed: 0.2, torn: 0.1 } satisfies Partial<Plan>;
export const ABREAST = 40;
