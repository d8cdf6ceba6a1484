/** Where events arrive: the URL of a subscription or a callback. It answers as planned, and remembers every attempt. */
import type { Behaviour, Received } from "../../support/node/receiver.ts";
import { isOfDocument, isStandard } from "../../support/node/signatures.ts";
import { answersFor } from "./plan.ts";

/** An attempt to deliver an event, as it arrived. */
export interface Attempt {
  /** Number of the event. */
  readonly n: number;
  readonly id: string;
  readonly sequence: number;
  /** The position told with it: for subscriptions. */
  readonly cursor: number;
  /** Of the machine's clock: when it arrived, and in seconds, when it was signed. */
  readonly at: number;
  readonly signedAt: number;
  /** Kills so far. */
  readonly life: number;
  readonly isSigned: boolean;
  readonly answer: Behaviour;
}

interface Given {
  readonly url: string;
  readonly by: string;
  readonly secret: string;
  readonly isCallback: boolean;
  /** The list that it hears of; undefined for all. */
  readonly list?: string | undefined;
  /** Share of its deliveries that fail at first. */
  readonly faulty: number;
  /** Whether it answers the first attempt of each delivery never, and the others well. */
  readonly isSlow?: boolean;
  /** From which attempt on it answers 410. */
  readonly goneFrom?: number | undefined;
}

/** How long an outbox also signs with the old secret, less what a request may take. */
const ROTATION_MS = 4 * 60_000;

export class Channel {
  readonly given: Given;
  readonly attempts: Attempt[] = [];
  /** Of the subscription, once it is known. */
  id: string | undefined;
  /** The secret that replaces the first, and when the request was answered that gave it. */
  next: { readonly secret: string; readonly since: number } | undefined;
  readonly #seed: number;

  constructor(seed: number, given: Given) {
    this.#seed = seed;
    this.given = given;
  }

  /** Remembers an attempt, and says how to answer it. @param number of the event of a callback */
  take(one: Received, life: number, number?: number): Attempt {
    const { headers, body, at } = one;
    const message = JSON.parse(body);
    const n: number = number ?? message.data.n;
    const attempt = {
      ...{ n, at, life, id: String(headers["webhook-id"]), sequence: Number(headers["webhook-sequence"]) },
      ...{ cursor: Number(message.cursor ?? 0), signedAt: Number(headers["webhook-timestamp"]) },
      isSigned: this.#isSigned(one) && (message.eventId ?? message.id) === headers["webhook-id"],
      answer: this.#answer(n),
    };
    this.attempts.push(attempt);
    return attempt;
  }

  /** The attempts to deliver an event, in order. */
  of(n: number): readonly Attempt[] {
    return this.attempts.filter((attempt) => attempt.n === n);
  }

  #answer(n: number): Behaviour {
    const { goneFrom, url, faulty, isSlow } = this.given;
    if (this.attempts.length >= (goneFrom ?? Number.POSITIVE_INFINITY)) return "gone";
    const answers: readonly Behaviour[] = isSlow
      ? ["stall", "ok"]
      : answersFor(this.#seed, `${new URL(url).pathname} ${n}`, faulty);
    return answers[Math.min(this.of(n).length, answers.length - 1)] as Behaviour;
  }

  #isSigned(one: Received): boolean {
    const { secret, isCallback } = this.given;
    if (isCallback) return isStandard(one, secret) && isOfDocument(one, secret);
    const { next } = this;
    if (next === undefined) return isStandard(one, secret);
    const isOld = isStandard(one, secret);
    const isNew = isStandard(one, next.secret);
    // What was signed before the new secret was known to be kept may have the old signature alone.
    const mayLackNew = Number(one.headers["webhook-timestamp"]) <= next.since / 1_000;
    const mayLackOld = one.at > next.since + ROTATION_MS;
    return (isOld || (mayLackOld && isNew)) && (isNew || (mayLackNew && isOld));
  }
}

/** Whether an answer acknowledges the delivery. */
export function isAcknowledged(answer: Behaviour): boolean {
  if (typeof answer === "object") return answer.status < 300;
  return answer === "ok" || answer === "endless";
}
