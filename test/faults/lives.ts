/** The lives of a server that is killed again and again: at any time, or aimed at a moment. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LongRig } from "../support/node/long-rig.ts";

export interface LivesPlan<Moment extends string> {
  readonly kills: number;
  /** How long the server lives between two kills, in milliseconds, at most. */
  readonly livesMs: number;
  /** At what it is killed, in turn. "any" is any time. */
  readonly moments: readonly (Moment | "any")[];
}

/** An aimed kill comes this many milliseconds after its moment, at most. */
const AIM_MS = 12;

export class Lives<Moment extends string> {
  readonly #rig: LongRig;
  readonly #plan: LivesPlan<Moment>;
  readonly #random: () => number;
  readonly #onKill: (moment: Moment | "any") => void;
  #armed: Moment | "any" | undefined;
  #fire: ((moment: Moment | "any") => void) | undefined;
  /** Kills so far. */
  count = 0;

  constructor(rig: LongRig, plan: LivesPlan<Moment>, random: () => number, onKill: (moment: Moment | "any") => void) {
    this.#rig = rig;
    this.#plan = plan;
    this.#random = random;
    this.#onKill = onKill;
  }

  /** Lets the server live and die as often as planned. It is served in the end. */
  async run(): Promise<void> {
    const { livesMs, moments } = this.#plan;
    if (this.#rig.url === undefined) await this.#rig.start();
    while (!this.areOver) {
      const aim = moments[this.count % moments.length] ?? "any";
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
  async kill(moment: Moment | "any"): Promise<void> {
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
  async #moment(aim: Moment, ms: number): Promise<Moment | "any"> {
    const come = await new Promise<Moment | "any">((resolve) => {
      this.#armed = aim;
      this.#fire = resolve;
      setTimeout(() => resolve("any"), ms);
    });
    this.#armed = undefined;
    return come;
  }
}
