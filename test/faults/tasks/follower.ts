/** A caller of one task: starts it, answers its question, and follows it until it ends, across the server's deaths. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Lives } from "../lives.ts";
import type { Moment, TaskTally } from "./plan.ts";
import { answer, call, callWithAnswer, type Reply, read, type State, type TaskRequest } from "./wire.ts";

const POLL_MS = 150;

type End = Extract<State, { readonly is: "completed" | "failed" }>;

export class Follower {
  readonly name: string;
  readonly request: TaskRequest;
  /** Lives of the server in which the task began and ended. */
  readonly bornIn: number;
  endedIn: number | undefined;
  /** Whether a reply has said that the task exists. */
  isAnnounced = false;
  id: string | undefined;
  end: End | undefined;
  /** In which life of the server it was first seen to ask, and in which its answer was known to be kept. */
  askedIn: number | undefined;
  answeredIn: number | undefined;
  /** Whether an answer was sent. It may have been kept although there was no response. */
  mayHaveAnswer = false;
  readonly #lives: Lives<Moment>;
  readonly #tally: TaskTally;

  constructor(name: string, request: TaskRequest, lives: Lives<Moment>, tally: TaskTally) {
    this.name = name;
    this.request = request;
    this.#lives = lives;
    this.#tally = tally;
    this.bornIn = lives.count;
  }

  /**
   * Follows the task until it ends, or nobody waits any more.
   *
   * @param isPatient whether its question waits for the server's next life
   */
  async follow(isPatient: boolean, isOver: () => boolean): Promise<void> {
    let checkedIn = this.bornIn;
    this.#lives.at("start");
    while (!isOver()) {
      // Once in each life, the call is made again: it must lead to the same task.
      const isCheck = checkedIn !== this.#lives.count;
      checkedIn = this.#lives.count;
      const reply = await this.#attempt((url) => (isCheck ? call(url, this.request) : this.#read(url)));
      if (reply !== undefined) await this.#take(reply, isPatient);
      if (this.end !== undefined) return;
      await sleep(POLL_MS);
    }
  }

  /** Reads the final state again, in both ways that there are. */
  async readAgain(): Promise<void> {
    const ways = [(url: string) => this.#read(url), (url: string) => call(url, this.request)];
    for (const way of ways) {
      let reply: Reply | undefined;
      while (reply === undefined) reply = await this.#attempt(way);
      // A client with tasks gets the result of its call as the state of its task.
      const { state } = reply;
      if (JSON.stringify(state) === JSON.stringify(this.end)) continue;
      this.#tally.wrong.changed++;
      this.#tally.samples.push(`${this.name}: ${JSON.stringify(this.end)}, then ${JSON.stringify(state)}`);
    }
  }

  #read(url: string): Promise<Reply> {
    const { id, request } = this;
    return id === undefined ? call(url, request) : read(url, id, request.address);
  }

  /** @returns undefined if there was no server, or it could not tell */
  async #attempt(ask: (url: string) => Promise<Reply>): Promise<Reply | undefined> {
    const url = await this.#lives.url();
    this.#tally.requests++;
    try {
      const reply = await ask(url);
      if (reply.state.is !== "unavailable") return reply;
      this.#tally.unavailable[reply.state.why] = (this.#tally.unavailable[reply.state.why] ?? 0) + 1;
    } catch {
      this.#tally.unanswered++;
    }
    return undefined;
  }

  async #take(reply: Reply, isPatient: boolean): Promise<void> {
    const { state, id } = reply;
    const { wrong } = this.#tally;
    this.isAnnounced = true;
    if (id !== undefined && this.id !== undefined && id !== this.id) wrong.otherTask++;
    this.id ??= id;
    if (state.is === "completed" || state.is === "failed") {
      this.end = state;
      this.endedIn = this.#lives.count;
    }
    if (state.is !== "asking") return;
    if (this.askedIn === undefined) this.#tally.asked++;
    this.askedIn ??= this.#lives.count;
    if (`${state.questions}` !== "colour" || this.answeredIn !== undefined) {
      wrong.askedAgain++;
      this.#tally.samples.push(`askedAgain: ${this.name}: ${state.questions}, answered in ${this.answeredIn}`);
    }
    if (isPatient && this.askedIn === this.#lives.count && !this.#lives.areOver) return;
    await this.#answer(reply);
  }

  async #answer({ requestState = "" }: Reply): Promise<void> {
    const { id, request } = this;
    this.mayHaveAnswer = true;
    const given = await this.#attempt((url) => {
      const replying =
        id === undefined
          ? callWithAnswer(url, request, COLOUR, requestState)
          : answer(url, id, COLOUR, request.address);
      this.#lives.at("answer");
      return replying;
    });
    if (given === undefined) return;
    if (this.askedIn !== this.#lives.count) this.#tally.answeredLater++;
    // A reply to an ordinary call is also the task's state.
    if (id === undefined) await this.#take(given, false);
    this.answeredIn = this.#lives.count;
  }
}

export const COLOUR = "green";
