/**
 * Sends the user of a call to pages, and waits until the user is done there. Each visit has an id that stays the same
 * when the call runs again with its answers.
 */

import type { Signer } from "../crypto/signer.ts";
import { canonical } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Caller } from "../model/call.ts";
import { type Elicited, NotAnswered, type Question } from "../model/elicitation.ts";
import type { PageQuestion } from "../model/tool-context.ts";
import { ANSWER_MS, type ElicitingRun } from "./questions.ts";

/** Milliseconds between two checks whether the user is done. */
const LOOK_MS = 1_000;
/** An author's `until` is called less and less often, because it makes requests and a Worker's requests are limited. */
const BACKOFF = 0.1;
/**
 * Milliseconds for which a call waits if its client sends the call again with its answers (MCP 2026-07-28): half the
 * time that most clients wait for a response.
 */
const ROUND_MS = 30_000;

export interface PageRun extends ElicitingRun {
  /** The same whenever the call runs again with its answers. */
  readonly seed: string;
  canAsk(what: "page"): boolean;
  ask(key: string, question: MaybePromise<Question>): Promise<unknown>;
  /** Milliseconds that do not count towards the time limit. */
  pausedMs: number;
}

export class UserPages {
  readonly #run: PageRun;
  readonly #caller: Caller;
  readonly #signer: Signer;
  /** How often each key was used. */
  readonly #times = new Map<string, number>();
  #waiting = 0;
  /** When this run stops waiting, if its client sends the call again. */
  #roundEnds: number | undefined;

  constructor(run: PageRun, caller: Caller, signer: Signer) {
    this.#run = run;
    this.#caller = caller;
    this.#signer = signer;
  }

  /** Asks the user to visit a page, and waits until `until` says that it is done. */
  async visit(key: string, { message, url, until }: PageQuestion): Promise<Elicited<{ readonly id?: string }>> {
    const nth = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, nth);
    let signed: Promise<string> | undefined;
    const id = () => {
      signed ??= this.#signer.sign(canonical(["page", this.#run.seed, key, nth]));
      return signed;
    };
    const toPage = async (): Promise<Question & { kind: "page" }> => {
      if (typeof url === "string") return { kind: "page", message, url };
      // Do not call the author's function, because the question will be refused.
      if (!this.#run.canAsk("page")) return { kind: "page", message, url: "" };
      return { kind: "page", message, url: await url(await id()), id: await id() };
    };
    // Do not await it: questions are named in the order in which they are asked.
    const page = toPage();
    const { elicitation } = this.#caller;
    // If the client answers by sending the call again, `ask` ends the run here.
    for (;;) {
      const { action } = (await this.#run.ask(key, page)) as Elicited<unknown>;
      if (action !== "accept") return { action };
      const content = typeof url === "string" ? {} : { id: await id() };
      if (until === undefined) return { action, content };
      const isDone = await this.wait(async () => (await until(await id())) || undefined, BACKOFF);
      if (isDone) {
        elicitation?.visited?.((await page).url);
        return { action, content };
      }
      if (elicitation?.elicit) throw new NotAnswered("The user was not done with the page in time");
    }
  }

  /**
   * Polls until something is found: for at most ten minutes, or 30 s if the client sends the call again with its
   * answers. The time does not count towards the tool's limit.
   *
   * @param look    returns undefined if there is nothing yet
   * @param backoff fraction of the elapsed time to wait before the next look (0.1: after a minute, every 6 s)
   * @returns undefined if the time is up
   * @throws {NotAnswered} if the call is over, or too many calls of its principal wait already
   */
  wait<Found>(look: () => Promise<Found | undefined>, backoff = 0): Promise<Found | undefined> {
    const wait = () => this.#wait(look, backoff);
    return this.#caller.elicitation?.whileWaiting?.(wait) ?? wait();
  }

  async #wait<Found>(look: () => Promise<Found | undefined>, backoff: number): Promise<Found | undefined> {
    const { elicitation, client } = this.#caller;
    const run = this.#run;
    const since = Date.now();
    if (elicitation && !elicitation.elicit) this.#roundEnds ??= since + ROUND_MS;
    const deadline = this.#roundEnds ?? since + ANSWER_MS;
    // The lease must not expire while a person takes their time.
    if ((await run.extendLease?.(Math.max(0, deadline - since))) === false) throw over();
    this.#waiting++;
    try {
      for (let next = since; ; ) {
        if (Date.now() >= next) {
          const found = await look();
          if (found !== undefined) return found;
          next = Date.now() + backoff * (Date.now() - since);
        }
        const before = Date.now();
        if (before >= deadline) return undefined;
        await new Promise((resume) => setTimeout(resume, LOOK_MS));
        // If several pages are waited for at once, the same second must not count twice.
        run.pausedMs += (Date.now() - before) / this.#waiting;
        if (run.hasEnded || client?.signal.aborted) throw over();
      }
    } finally {
      this.#waiting--;
    }
  }
}

function over(): NotAnswered {
  return new NotAnswered("The call was over before its user was done with the page");
}
