/** What the outbox is put through while its server is killed, and the counts of what happened. */
import type { Behaviour } from "../../support/node/receiver.ts";
import { randomOf } from "../random.ts";

export interface OutboxPlan {
  readonly seed: number;
  readonly events: number;
  readonly kills: number;
  /** How long the server lives between two kills, in milliseconds, at most. */
  readonly livesMs: number;
  /** What a minute of the schedule lasts, in milliseconds. */
  readonly minuteMs: number;
  /** How long an attempt may take, in milliseconds. */
  readonly attemptMs: number;
}

/** Moments at which the server is killed: as a call is made that emits, during an attempt, and after its answer. */
export const MOMENTS = ["any", "emit", "attempt", "answer"] as const;
export type Moment = (typeof MOMENTS)[number];

/** The counts over all events of a plan. Those under `wrong` must be 0. */
export interface OutboxTally {
  events: number;
  kills: Record<Moment, number>;
  /** Calls that emit, and how many of them had no answer and were made again. */
  calls: number;
  unanswered: number;
  /** What is to be delivered: each event to each of its subscriptions, and the messages of callbacks. */
  deliveries: number;
  attempts: number;
  /** Attempts by what the receiver did. */
  answers: Record<string, number>;
  /** Deliveries that were acknowledged; those that were attempted again after that, because of a kill. */
  delivered: number;
  repeated: number;
  /** Deliveries that were given up, by their reason. */
  dead: Record<string, number>;
  /** Events that were emitted after their subscription had ended with 410. */
  late: number;
  wrong: {
    /** Neither delivered nor given up. */
    lost: number;
    /** Still waiting long after the last kill. */
    waiting: number;
    /** Given up for a reason that the receiver did not give. */
    unreasonable: number;
    /** An event with two ids. */
    twoIds: number;
    /** A signature that does not verify, or one made before the attempt. */
    badSignature: number;
    /** An attempt after 410 or 413. */
    afterEnd: number;
    /** An attempt before the time that `Retry-After` gave. */
    hasty: number;
    /** A position told to a receiver although an event before it was neither delivered nor given up. */
    skipped: number;
    /** A sequence number that was used twice, changed, left out, or is not in the order of the events. */
    misnumbered: number;
    /** An attempt when everything had ended. */
    restless: number;
  };
  samples: string[];
}

export function noOutboxTally(): OutboxTally {
  return {
    ...{ events: 0, calls: 0, unanswered: 0, deliveries: 0, attempts: 0, delivered: 0, repeated: 0, late: 0 },
    kills: { any: 0, emit: 0, attempt: 0, answer: 0 },
    answers: {},
    dead: {},
    wrong: {
      ...{ lost: 0, waiting: 0, unreasonable: 0, twoIds: 0, badSignature: 0, afterEnd: 0, hasty: 0, skipped: 0 },
      ...{ misnumbered: 0, restless: 0 },
    },
    samples: [],
  };
}

export const RETRY_AFTER_SECONDS = 1;
const BUSY: Behaviour = { status: 503, headers: { "retry-after": String(RETRY_AFTER_SECONDS) } };
const FAILURES: readonly Behaviour[] = [
  ...(["fail", "fail", "stall", "redirect", "garbage", "break off"] as const),
  ...[BUSY, { status: 502 }, { status: 401 }],
];
const SUCCESSES: readonly Behaviour[] = ["ok", "ok", "ok", "endless", { status: 202, body: "\x00 no JSON" }];

/**
 * How a receiver answers the attempts of one delivery; the last answer is for all that follow.
 *
 * @param of     what identifies the delivery
 * @param faulty share of deliveries that fail at first
 */
export function answersFor(seed: number, of: string, faulty: number): readonly Behaviour[] {
  const random = randomOf(seed ^ hash(of));
  const one = <Of>(all: readonly Of[]) => all[Math.floor(random() * all.length)] as Of;
  if (random() >= faulty) return [one(SUCCESSES)];
  const end = random();
  // Six failures, after which it is given up.
  if (end < 0.15) return [one(FAILURES), one(FAILURES), one(FAILURES), "fail"];
  const failures = Array.from({ length: Math.floor(4 * random()) }, () => one(FAILURES));
  return [...failures, end < 0.3 ? "too large" : one(SUCCESSES)];
}

/** A number for a text (FNV-1a). */
function hash(text: string): number {
  return [...text].reduce(
    (sum, character) => Math.imul(sum ^ (character.codePointAt(0) ?? 0), 16_777_619),
    2_166_136_261,
  );
}
