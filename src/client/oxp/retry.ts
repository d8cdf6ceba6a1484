/**
 * Makes attempts until one succeeds, or retrying is pointless (OXP 1.0, Call Tool, Retrying Errors). Knows nothing of
 * HTTP: the errors say what may be tried again.
 */
import { sleep } from "../lib/sleep.ts";
import { type OxpFailure, OxpNoResponse, OxpRefused, OxpStatus, OxpToolFailed } from "./errors.ts";

export interface RetryOptions {
  /** Failures in a row until the last one is thrown. Default: 4. The answer "still running" is not a failure. */
  readonly attempts?: number | undefined;
  /** No attempt begins later than this many milliseconds after the call. Default: 900,000, a quarter of an hour. */
  readonly totalMs?: number | undefined;
  /** The longest first wait, in milliseconds, if the server names none. It doubles with each failure. Default: 500. */
  readonly minDelayMs?: number | undefined;
  /** The longest wait, in milliseconds. If the server asks for a longer one, the error is thrown. Default: 60,000. */
  readonly maxDelayMs?: number | undefined;
  /**
   * Whether to send a call again that got no response. Default: true, because OXP servers run a call once for each
   * `call_id`. Set it to false for a server that ignores the `call_id`.
   */
  readonly connections?: boolean | undefined;
  /** Time and random numbers, for tests. Default: the platform's. */
  readonly clock?: Clock | undefined;
}

export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** At least 0, and less than 1. */
  random(): number;
}

/** A wait that is about to begin. */
export interface Retry {
  /** What the last attempt threw. */
  readonly error: OxpFailure;
  readonly delayMs: number;
  readonly attempts: number;
  /** The tool is still running, and the next request asks for its result. */
  readonly isRunning: boolean;
}

interface Attempts {
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait. What it throws ends the call. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/**
 * @param once makes the attempt with this number, which begins at 1
 * @param options false: a single attempt
 * @throws what the last attempt threw, and the signal's reason once it is aborted
 */
export async function attempt<Result>(
  once: (attempts: number) => Promise<Result>,
  options: RetryOptions | false,
  { signal, onRetry }: Attempts,
): Promise<Result> {
  if (options === false) return once(1);
  const { attempts: most = 4, totalMs = 900_000, minDelayMs = 500, maxDelayMs = 60_000 } = options;
  const { connections = true, clock = CLOCK } = options;
  const started = clock.now();
  let failures = 0;
  for (let attempts = 1; ; attempts++) {
    try {
      return await once(attempts);
    } catch (error) {
      signal?.throwIfAborted();
      const again = retryable(error, connections);
      if (again === undefined) throw error;
      const { isRunning, afterMs } = again;
      // A running tool is polled until `totalMs` is over, and proves that the server works.
      failures = isRunning ? 0 : failures + 1;
      if (failures >= most) throw error;
      // "Full jitter": clients that failed together do not come back together.
      // https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
      const backoffMs = clock.random() * Math.min(maxDelayMs, minDelayMs * 2 ** Math.max(0, failures - 1));
      const delayMs = isRunning ? Math.max(afterMs ?? 0, minDelayMs) : (afterMs ?? backoffMs);
      if (delayMs > maxDelayMs || clock.now() - started + delayMs > totalMs) throw error;
      onRetry?.({ error: again.error, delayMs, attempts, isRunning });
      await clock.sleep(delayMs, signal);
    }
  }
}

interface Retryable {
  readonly error: OxpFailure;
  /** The wait that the server asked for; undefined if it named none. */
  readonly afterMs: number | undefined;
  readonly isRunning: boolean;
}

/** @returns undefined for what must not be tried again */
function retryable(error: unknown, connections: boolean): Retryable | undefined {
  if (error instanceof OxpToolFailed) {
    return error.canRetry ? { error, afterMs: waitOf(error.retryAfterMs), isRunning: error.isRunning } : undefined;
  }
  // OXP also uses 400 for a server that is temporarily unavailable. `Retry-After` tells it from final refusals.
  const mayPass = error instanceof OxpRefused || (error instanceof OxpStatus && [429, 503].includes(error.status));
  if (mayPass) {
    const afterMs = waitOf(error.retryAfterMs);
    return afterMs === undefined ? undefined : { error, afterMs, isRunning: false };
  }
  if (error instanceof OxpNoResponse && connections && PASSING.has(error.reason)) {
    return { error, afterMs: undefined, isRunning: false };
  }
  return undefined;
}

/** The other reasons, too many bytes and a redirect, would be the same each time. */
const PASSING: ReadonlySet<string> = new Set(["unreachable", "cut", "timeout"]);

/** @returns undefined for a negative number or NaN. Infinity stays: it is longer than any limit */
function waitOf(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 ? ms : undefined;
}

const CLOCK: Clock = { now: () => performance.now(), random: () => Math.random(), sleep };
