/** The lives of a server that is killed again and again: at any time, or aimed at a moment. */
import type { LongRig } from "../../support/node/long-rig.ts";
import { MOMENTS, type Moment, type TaskPlan } from "./plan.ts";

/** An aimed kill comes this many milliseconds after its moment, at most. */
const AIM_MS = 12;

export class Lives {
  readonly #rig: LongRig;
  readonly #plan: TaskPlan;
  readonly #random: () => number;
  readonly #onKill: (moment: Moment) => void;
  #armed: Moment | undefined;
  #fire: ((moment: Moment) => void) | undefined;
  /** Kills so far. */
  count = 0;

  constructor(rig: LongRig, plan: TaskPlan, random: () => number, onKill: (moment: Moment) => void) {
    this.#rig = rig;
    this.#plan = plan;
    this.#random = random;
    this.#onKill = onKill;
  }

  /** Lets the server live and die as often as planned. It is served in the end. */
  async run(): Promise<void> {
    const { livesMs } = this.#plan;
    await this.#rig.start();
    while (!this.areOver) {
      const aim = MOMENTS[this.count % MOMENTS.length] as Moment;
      // An aimed kill comes with the next such moment; the server lives about as long in either case.
      await sleep(livesMs * this.#random() * (aim === "any" ? 1 : 0.2));
      const moment = aim === "any" ? aim : await this.#moment(aim, livesMs * 0.8);
      if (moment !== "any") await sleep(AIM_MS * this.#random());
      await this.kill(moment);
    }
  }

  /** Whether the last planned kill is over. */
  get areOver(): boolean {
    return this.count >= this.#plan.kills;
  }

  /** Kills the server and starts it again. */
  async kill(moment: Moment): Promise<void> {
    this.#onKill(moment);
    await this.#rig.kill();
    this.count++;
    await this.#rig.start();
  }

  /** Says that a moment has come. */
  at(moment: Moment): void {
    if (this.#armed === moment) this.#fire?.(moment);
  }

  /** Where the server is; waits while there is none. */
  async url(): Promise<string> {
    while (this.#rig.url === undefined) await sleep(20);
    return this.#rig.url;
  }

  /** Resolves at the moment; after `ms` milliseconds without one, at any. */
  async #moment(aim: Moment, ms: number): Promise<Moment> {
    const come = await new Promise<Moment>((resolve) => {
      this.#armed = aim;
      this.#fire = resolve;
      setTimeout(() => resolve("any"), ms);
    });
    this.#armed = undefined;
    return come;
  }
}

export const sleep = (ms: number) => new Promise((resume) => setTimeout(resume, ms));
