/**
 * The questions that one run of a tool, prompt or resource asks its caller. A question has the same name in every run
 * of a call. If its answer was not sent with the call, the run asks over the open connection and waits, or, if the
 * protocol cannot do that, ends with its open questions.
 */

import { sha256 } from "../crypto/digest.ts";
import { randomId } from "../crypto/encoding.ts";
import { canonical } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { WaitingTime } from "../lib/waiting-time.ts";
import type { Elicitation, InputResponses } from "../model/call.ts";
import {
  askUntilFitting,
  CannotElicit,
  capabilityFor,
  NotAnswered,
  type Question,
  readAnswer,
} from "../model/elicitation.ts";

/** How long a caller may take to answer a question during the call, in milliseconds. */
export const ANSWER_MS = 10 * 60_000;
/** How many questions of one principal may wait for answers at a time in an isolate: each keeps an object awake. */
export const WAITING = { most: Infinity, each: 32, forMs: ANSWER_MS } as const;

/** From the 33rd question of a run on, each is delayed, so that a loop of questions cannot starve the timers. */
const PAUSE_AFTER = 32;
const PAUSE_MS = 10;

/**
 * Reserved name under which the seed is sent with the answers. If an author uses it for a question, that has a hash
 * and not {@link SIGNED}.
 */
const SEED = "\u0000seed";
/** Marks the seed, in place of the hash of a question. A client cannot send such an entry itself. */
export const SIGNED = "signed";

export type InputRequiredListener = (questions: ReadonlyMap<string, Question>, answered: InputResponses) => void;

export interface ElicitingRun {
  /** Whether the call is over, although its code may continue. */
  readonly hasEnded: boolean;
  /** Set for a call with a key. */
  readonly fingerprint: string | undefined;
  now(): number;
  /** Extends the lease on the call's key by `ms`. Undefined for a call without a key. */
  readonly extendLease: ((ms: number) => Promise<boolean>) | undefined;
  /** Called once if the code waits for answers that the call does not have. */
  readonly onInputRequired: InputRequiredListener | undefined;
}

export class Questions {
  readonly #run: ElicitingRun;
  readonly #elicitation: Elicitation | undefined;
  /** How often each key was asked. */
  readonly #timesAsked = new Map<string, number>();
  #count = 0;
  readonly #open = new Map<string, Question>();
  readonly #answered = new Map<string, { question: string; answer: unknown }>();
  #seed: string | undefined;
  /** Number of questions that are being made, and of answers that are being checked. */
  #checking = 0;
  readonly #waited: WaitingTime;
  /** Fires when nobody waits for the run any longer. */
  readonly #over = new AbortController();

  /** @param elicitation how to ask the caller; undefined if its protocol cannot */
  constructor(run: ElicitingRun, elicitation: Elicitation | undefined) {
    this.#run = run;
    this.#waited = new WaitingTime(() => run.now());
    this.#elicitation = elicitation;
  }

  /**
   * Ends open questions, because nobody waits for the call any longer. They do not reject with the reason of
   * `ctx.signal`: a tool that ends because of this has not obeyed the signal, and may have had its effect.
   */
  stop(): void {
    this.#over.abort(new NotAnswered("The call was over before its caller answered"));
  }

  /** Milliseconds for which the run has waited for its caller so far. */
  get waitedMs(): number {
    return this.#waited.ms;
  }

  /** Stays the same across the rounds of a call, and is unique to it: the ids of pages are derived from it. */
  get seed(): string {
    const sent = this.#elicitation?.answers?.get(SEED);
    this.#seed ??= sent?.question === SIGNED ? (sent.answer as string) : (this.#run.fingerprint ?? randomId());
    return this.#seed;
  }

  /**
   * Asks a question and waits for the answer. Never settles if the run ends with this question open.
   *
   * @param key chosen by the author; asking it again in the same run is a new question
   * @throws {CannotElicit} if the caller does not support this kind of question
   * @throws {NotAnswered} if the caller did not answer in time, or its answers did not fit
   */
  async ask(key: string, asked: MaybePromise<Question>): Promise<unknown> {
    const name = this.#nameFor(key);
    const isFirst = this.#answered.size === 0;
    this.#count++;
    const question = await this.#whileChecking(asked);
    if (this.#count > PAUSE_AFTER) {
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
      // Code that catches every error in a loop would never stop, so give it a promise that never settles.
      if (this.#run.hasEnded) return new Promise(() => {});
    }
    if (this.#run.hasEnded) throw new DOMException("The call is over", "AbortError");
    const answer = await this.#answerSent(name, question, isFirst);
    if (answer !== undefined) return answer;
    const elicitation = this.#elicitation;
    if (elicitation && !elicitation.capabilities.has(capabilityFor(question))) throw new CannotElicit(question);
    const ask = elicitation?.elicit;
    if (ask) return askUntilFitting(key, question, () => this.#waited.during(() => this.#askLive(question, ask)));
    this.#open.set(name, question);
    if (this.#open.size === 1) this.#endSoon();
    return new Promise(() => {});
  }

  /** Numbers repeated keys: `key`, `key#2`, … A key that already ends in `#2` is numbered from the first time. */
  #nameFor(key: string): string {
    const nth = (this.#timesAsked.get(key) ?? 0) + 1;
    this.#timesAsked.set(key, nth);
    return nth === 1 && !/#\d+$/.test(key) ? key : `${key}#${nth}`;
  }

  /** The answer sent with the call, unless it was given to a different question of the same name. */
  async #answerSent(name: string, question: Question, isFirst: boolean): Promise<unknown> {
    const sent = this.#elicitation?.answers?.get(name);
    if (sent === undefined) return undefined;
    // An answer to a question that was never asked counts only if no other question has been answered before.
    if (sent.question === undefined && !isFirst) return undefined;
    const hash = await this.#whileChecking(hashOf(question));
    if (sent.question !== undefined && sent.question !== hash) return undefined;
    const answer = readAnswer(question, sent.answer);
    if (answer !== undefined) this.#answered.set(name, { question: hash, answer: sent.answer });
    return answer;
  }

  /** Waits for a value, and keeps the run from ending with its open questions until the value is there. */
  async #whileChecking<Value>(value: MaybePromise<Value>): Promise<Value> {
    this.#checking++;
    try {
      return await value;
    } finally {
      this.#checking--;
    }
  }

  /** Ends the run in the next task, so that the tool can first ask all the questions that it asks in parallel. */
  #endSoon(): void {
    setTimeout(() => {
      if (this.#checking > 0) this.#endSoon();
      else {
        // Add the seed last: `#answered.size` must count only answers.
        if (this.#seed !== undefined) this.#answered.set(SEED, { question: SIGNED, answer: this.#seed });
        this.#run.onInputRequired?.(this.#open, this.#answered);
      }
    }, 0);
  }

  /** Waits for an answer. The waiting time does not count towards the run's time limit. */
  async #askLive(question: Question, ask: NonNullable<Elicitation["elicit"]>): Promise<unknown> {
    const { signal } = this.#over;
    let cleanUp = () => {};
    const over = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new NotAnswered()), ANSWER_MS);
      const stop = () => reject(signal.reason);
      cleanUp = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
    });
    const askCaller = async () => {
      // The lease must not expire while a person thinks.
      if ((await this.#run.extendLease?.(ANSWER_MS)) === false) throw new NotAnswered();
      return ask(question);
    };
    try {
      return await Promise.race([askCaller(), over]);
    } finally {
      cleanUp();
    }
  }
}

/** Hash of a question's contents, which distinguishes questions of the same name. */
export function hashOf(question: Question): Promise<string> {
  return sha256(canonical(question));
}
