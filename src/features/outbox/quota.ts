/** Limits what the outbox of one principal holds and sends (docs/limits.md): receivers may be dead, or its own. */
import type { Full } from "../../core/ports/outbox.ts";

const MAX_MB = 100;
const MAX_WAITING = 10_000;
const MAX_PER_MINUTE = 6_000;
const MINUTE_MS = 60_000;
/** The shortest time between two counts of the waiting deliveries, in milliseconds: a count reads all their rows. */
const COUNT_MS = 1_000;

const WORDS: Readonly<Record<Full["full"], string>> = {
  bytes: `${MAX_MB} MB are kept of this caller's events and messages, and no more until some have expired`,
  waiting: `${numeral(MAX_WAITING)} messages to this caller's receivers wait to be delivered, and no more may`,
  rate: `${numeral(MAX_PER_MINUTE)} messages a minute are sent to this caller's receivers, and no more`,
};

export function fullInWords({ full }: Full): string {
  return WORDS[full];
}

export function isFull<Answer>(answer: Answer | Full): answer is Full {
  return typeof answer === "object" && answer !== null && "full" in answer;
}

export interface Held {
  readonly bytes: number;
  /** Counts the deliveries that have neither arrived nor been given up: reads them all. */
  readonly waiting: () => number;
}

/** Counts the deliveries of a minute in memory: an object that was evicted has sent little. */
export class Quota {
  #began = 0;
  #queued = 0;
  /** How many deliveries wait, at most: those that have ended since they were counted are still among them. */
  #waiting = Infinity;
  #counted = -Infinity;

  /** Call it for each delivery that is queued. */
  count(now: number): void {
    if (now - this.#began >= MINUTE_MS) [this.#began, this.#queued] = [now, 0];
    this.#queued++;
    this.#waiting++;
  }

  /** How many deliveries may be queued now. */
  left({ waiting }: Held, now: number): number {
    return Math.max(0, Math.min(MAX_WAITING - waiting(), MAX_PER_MINUTE - this.#inMinute(now)));
  }

  /** @param wanted deliveries to queue. @returns why they may not be; undefined if they may */
  refusal({ bytes, waiting }: Held, wanted: number, now: number): Full | undefined {
    if (bytes > MAX_MB * 1_000_000) return { full: "bytes", retryAfterMs: MINUTE_MS };
    if (this.#waiting + wanted > MAX_WAITING && now - this.#counted >= COUNT_MS)
      [this.#waiting, this.#counted] = [waiting(), now];
    if (this.#waiting + wanted > MAX_WAITING) return { full: "waiting", retryAfterMs: MINUTE_MS };
    if (this.#inMinute(now) + wanted <= MAX_PER_MINUTE) return undefined;
    return { full: "rate", retryAfterMs: this.#began + MINUTE_MS - now };
  }

  #inMinute(now: number): number {
    return now - this.#began < MINUTE_MS ? this.#queued : 0;
  }
}

function numeral(count: number): string {
  return count.toLocaleString("en");
}
