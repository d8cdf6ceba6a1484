/** When a delivery that failed is attempted again. */

/** How long a minute of the schedule lasts, in milliseconds. Tests shorten it. */
export const MINUTE_MS = 60_000;

/** Minutes to wait after each failed attempt. After the last, the delivery is given up. */
const WAITS = [1, 5, 30, 120, 720];
/** Up to this part of a wait is added to it, so that deliveries that failed together do not all come back together. */
const JITTER = 0.1;

export const MAX_ATTEMPTS = WAITS.length + 1;

/** The longest that a receiver can ask us to wait, in minutes. */
const LONGEST_WAIT = 720;
/** How long the attempts of a delivery take together, each after the longest Retry-After, in minutes. */
const ALL_ATTEMPTS = 4_000;

/** How long a callback is kept after its message is first sent, in milliseconds. */
export function callbackMs({ minuteMs, deadLetterSeconds }: { minuteMs: number; deadLetterSeconds: number }): number {
  return ALL_ATTEMPTS * minuteMs + deadLetterSeconds * 1_000;
}

/**
 * @param attempts     how many attempts have failed
 * @param retryAfterMs how long the receiver asked to wait, if it did
 * @param random       from 0 to 1
 * @param minuteMs     how long a minute lasts
 * @returns milliseconds until the next attempt; undefined if the delivery is to be given up
 */
export function waitAfter(
  attempts: number,
  retryAfterMs: number | undefined,
  random: number,
  minuteMs: number = MINUTE_MS,
): number | undefined {
  const minutes = WAITS[attempts - 1];
  if (minutes === undefined) return undefined;
  const wait = minutes * (1 + JITTER * random) * minuteMs;
  return Math.round(Math.max(wait, Math.min(retryAfterMs ?? 0, LONGEST_WAIT * minuteMs)));
}

/**
 * Reads `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
 *
 * @returns milliseconds from now; undefined if there is none that can be read
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Dates begin with the day of the week. Date.parse also accepts many texts that are not dates.
  const at = /^[A-Za-z]{3,}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
