/**
 * What one run of a fork's code asks its caller. A question is known by its name, the same in every run of a call; its
 * answer came with the call, or is waited for where the caller can be asked live. Else the run ends with its questions.
 */

import { sha256 } from "../lib/digest.ts";
import { canonical } from "../lib/json.ts";
import type { Elicitation, InputResponses } from "../model/call.ts";
import { CannotElicit, NotAnswered, type Question, readAnswer } from "../model/elicitation.ts";

/** Milliseconds that a caller has for one question that is asked live. */
export const ANSWER_MS = 10 * 60_000;
/** How often one question is put to a caller whose answers do not fit it. */
const MAX_TRIES = 3;

/** From the 33rd question of a run on, each waits a moment, so that a loop of questions cannot starve the timers. */
const PAUSE_AFTER = 32;
const PAUSE_MS = 10;

/** Told when a run waits for answers that its call does not have. */
export type InputRequiredListener = (questions: ReadonlyMap<string, Question>, answered: InputResponses) => void;

/** What questions need to know of the run that asks them. */
export interface ElicitingRun {
  /** Whether nobody waits for the run any more. */
  readonly hasEnded: boolean;
  /** Milliseconds; only differences matter. */
  now(): number;
  /**
   * Extends the lease by `ms` milliseconds. Undefined if the call has no key.
   *
   * @returns false if it was lost
   */
  readonly extendLease: ((ms: number) => Promise<boolean>) | undefined;
  onInputRequired: InputRequiredListener | undefined;
}

export class Questions {
  readonly #asker: ElicitingRun;
  readonly #asking: Elicitation | undefined;
  /** How often each key was asked. */
  readonly #times = new Map<string, number>();
  #asked = 0;
  readonly #open = new Map<string, Question>();
  readonly #answered = new Map<string, { question: string; answer: unknown }>();
  /** Answers that are being looked at. */
  #checking = 0;
  /** Questions the caller is answering now. */
  #waiting = 0;
  /** When the first of them was asked. */
  #since = 0;
  /** Total of earlier waits. */
  #waitedMs = 0;
  /** Fires when nobody waits for the run any more. */
  readonly #over = new AbortController();

  constructor(asker: ElicitingRun, asking: Elicitation | undefined) {
    this.#asker = asker;
    this.#asking = asking;
  }

  /**
   * Ends the questions that are open: who is no longer waited for need not answer. The code is not told by the reason of
   * `ctx.signal`: if it ends by this, it has not obeyed that, and may have had its effect.
   */
  stop(): void {
    this.#over.abort(new NotAnswered("The call was over before its caller answered"));
  }

  /** Milliseconds in which the run has waited for its caller so far. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waiting > 0 ? this.#asker.now() - this.#since : 0);
  }

  /**
   * @param key the author's; asked again in the same run, it is another question
   * @throws {CannotElicit} for what this caller cannot be asked
   * @throws {NotAnswered} for a question that its caller was asked in vain
   */
  async ask(key: string, question: Question): Promise<unknown> {
    const name = this.#nameFor(key);
    const isOpening = this.#answered.size === 0;
    this.#asked++;
    if (this.#asked > PAUSE_AFTER) {
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
      // Code that catches every error in a loop would never stop: give it a promise that never settles.
      if (this.#asker.hasEnded) return new Promise(() => {});
    }
    if (this.#asker.hasEnded) throw new DOMException("The call is over", "AbortError");
    const answer = await this.#given(name, question, isOpening);
    if (answer !== undefined) return answer;
    const asking = this.#asking;
    if (asking && !asking.capabilities.has(question.kind)) throw new CannotElicit(question.kind);
    if (asking?.elicit) return this.#askLive(key, question, asking.elicit);
    this.#open.set(name, question);
    if (this.#open.size === 1) this.#endSoon();
    return new Promise(() => {});
  }

  /** `key`, then `key#2`, … An author's key that already ends so is numbered from the start. */
  #nameFor(key: string): string {
    const time = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, time);
    return time === 1 && !/#\d+$/.test(key) ? key : `${key}#${time}`;
  }

  /** The answer sent with the call, if it fits this question: the tool may ask something else now. */
  async #given(name: string, question: Question, isOpening: boolean): Promise<unknown> {
    const given = this.#asking?.answers?.get(name);
    if (given === undefined) return undefined;
    // Unasked answers fit only questions asked before any other was answered.
    if (given.question === undefined && !isOpening) return undefined;
    this.#checking++;
    const hash = await hashOf(question).finally(() => this.#checking--);
    if (given.question !== undefined && given.question !== hash) return undefined;
    const answer = readAnswer(question, given.answer);
    if (answer !== undefined) this.#answered.set(name, { question: hash, answer: given.answer });
    return answer;
  }

  /** Waits until the tool has asked everything it asks at once. */
  #endSoon(): void {
    setTimeout(() => {
      if (this.#checking > 0) this.#endSoon();
      else this.#asker.onInputRequired?.(this.#open, this.#answered);
    }, 0);
  }

  async #askLive(key: string, question: Question, ask: NonNullable<Elicitation["elicit"]>): Promise<unknown> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const answer = readAnswer(question, await this.#wait(question, ask));
      if (answer !== undefined) return answer;
    }
    throw new NotAnswered(`The caller's answers to the question "${key}" do not fit it`);
  }

  /** Waits for an answer, while the run's own time stands still. */
  async #wait(question: Question, ask: NonNullable<Elicitation["elicit"]>): Promise<unknown> {
    const { signal } = this.#over;
    if (this.#waiting++ === 0) this.#since = this.#asker.now();
    let forget = () => {};
    const over = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new NotAnswered()), ANSWER_MS);
      const stop = () => reject(signal.reason);
      forget = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
    });
    const asked = async () => {
      // While a person thinks, the lease must not run out.
      if ((await this.#asker.extendLease?.(ANSWER_MS)) === false) throw new NotAnswered();
      return ask(question);
    };
    try {
      return await Promise.race([asked(), over]);
    } finally {
      forget();
      this.#waitedMs = this.waitedMs;
      this.#waiting--;
      this.#since = this.#asker.now();
    }
  }
}

/** What tells one question from another that goes by the same name. */
export function hashOf(question: Question): Promise<string> {
  return sha256(canonical(question));
}
