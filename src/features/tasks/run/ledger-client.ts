/**
 * The link between a run and its ledger: signs of life, reports of progress, questions and their answers. It tells the
 * run when nobody wants it any more.
 */
import { hashOf } from "../../../core/call/questions.ts";
import { describeError, type Log } from "../../../core/lib/log.ts";
import type { Client, Sink } from "../../../core/model/call.ts";
import type { TaskProgress } from "../../../core/model/call-result.ts";
import type { Question } from "../../../core/model/elicitation.ts";
import type { Begun, TaskLedger } from "../../../core/ports/task-ledger.ts";
import type { TaskSeal } from "../task-seal.ts";

/** The pause between two reports, in milliseconds: when a run begins, and when it takes long. Each is a write. */
const MIN_REPORT_MS = 1_000;
const MAX_REPORT_MS = 10_000;
/** The most characters of a message: clients get it with each poll. */
const MAX_MESSAGE = 1_000;

interface LedgerClientDependencies {
  readonly id: string;
  readonly begun: Pick<Begun, "run" | "asked">;
  readonly ledger: TaskLedger;
  readonly seal: TaskSeal;
  /** How long it is between two signs of life, in milliseconds. */
  readonly beatMs: number;
  readonly log: Log;
}

/** A question of this task that some run has asked. */
interface AskedBefore {
  readonly name: string;
  readonly hash: string;
}

export class LedgerClient implements Client, Sink {
  readonly #dependencies: LedgerClientDependencies;
  readonly #over = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  /** Resolves at the next sign of life, and wakes whoever waits for an answer. */
  #beaten = Promise.withResolvers<void>();
  /** The answers that this run has not taken, by name of the question. */
  readonly #answers: Map<string, string>;
  #asked: Promise<AskedBefore[]> | undefined;
  /** Questions that this run has asked, by name. */
  readonly #askedNow = new Set<string>();
  #progress: TaskProgress | undefined;
  readonly #since = Date.now();
  #reporting: ReturnType<typeof setTimeout> | undefined;

  constructor(dependencies: LedgerClientDependencies) {
    this.#dependencies = dependencies;
    this.#answers = new Map(dependencies.begun.asked.flatMap(({ name, answer }) => (answer ? [[name, answer]] : [])));
    this.#timer = setInterval(() => void this.#beat(), dependencies.beatMs);
  }

  /** Fires when the task was cancelled, or goes on in another run. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  progress(done: number, total: number | undefined, message: string | undefined): void {
    if (!Number.isFinite(done)) return;
    this.#progress = { done, total, message: message?.slice(0, MAX_MESSAGE) };
    this.#reporting ??= setTimeout(
      () => {
        this.#reporting = undefined;
        void this.#beat();
      },
      Math.min(MAX_REPORT_MS, Math.max(MIN_REPORT_MS, (Date.now() - this.#since) / 10)),
    );
  }

  /** Callers of tasks get no log messages (MCP, tasks extension, Task Status Notifications). */
  log(): void {}

  release(): void {}

  /**
   * Asks a question, or finds what an earlier run has asked.
   *
   * @param key   the author's name for the question; if it was used before, a number is added
   * @param woken gets the question's name, and resolves when an answer may have arrived
   * @returns the answer, unchecked; undefined if the run is over
   */
  async ask(key: string, question: Question, woken: (name: string) => Promise<void>): Promise<unknown> {
    const { id, begun, ledger, seal } = this.#dependencies;
    const hash = await hashOf(question);
    this.#asked ??= this.#askedBefore();
    const asked = await this.#asked;
    const before = asked.find((one) => one.hash === hash && !this.#askedNow.has(one.name));
    const name = before?.name ?? unused(key, asked);
    this.#askedNow.add(name);
    if (before === undefined) {
      asked.push({ name, hash });
      if (!(await ledger.ask(id, begun.run, name, await seal.seal(`question ${name}`, question)))) this.stop();
    }
    woken(name).then(
      () => this.#beat(),
      () => {},
    );
    await this.#beat();
    while (!this.#answers.has(name) && !this.isOver) await this.#beaten.promise;
    const answer = this.#answers.get(name);
    if (answer === undefined) return undefined;
    this.#answers.delete(name);
    // Until the answer is taken, the tool has only asked, and may run again.
    if (!(await ledger.take(id, begun.run, name))) this.stop();
    return seal.open(`answer ${name}`, answer);
  }

  /** Tells the run that it must not go on. */
  stop(): void {
    this.#over.abort();
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#reporting !== undefined) clearTimeout(this.#reporting);
    this.#wake();
  }

  async #beat(): Promise<void> {
    const { id, begun, ledger, seal, log } = this.#dependencies;
    const progress = this.#progress;
    this.#progress = undefined;
    try {
      const report = progress && (await seal.seal("report", progress));
      const answers = await ledger.beat(id, begun.run, report);
      if (answers === undefined) this.stop();
      else for (const [name, answer] of Object.entries(answers)) this.#answers.set(name, answer);
    } catch (error) {
      // The next sign of life may come through.
      log({ level: "warning", message: "task not heard", error: describeError(error) });
    }
    this.#wake();
  }

  #wake(): void {
    this.#beaten.resolve();
    this.#beaten = Promise.withResolvers();
  }

  async #askedBefore(): Promise<AskedBefore[]> {
    const { begun, seal } = this.#dependencies;
    return Promise.all(
      begun.asked.map(async ({ name, question }) => {
        return { name, hash: await hashOf(await seal.open(`question ${name}`, question)) };
      }),
    );
  }
}

/** `size`, then `size#2`: a name is never used twice in a task (MCP, tasks extension, Input Requests). */
function unused(key: string, asked: readonly AskedBefore[]): string {
  const used = new Set(asked.map(({ name }) => name));
  // SQL gives a lone surrogate back as another character, and the question would be lost.
  const wellFormed = key.toWellFormed();
  let name = wellFormed;
  for (let time = 2; used.has(name); time++) name = `${wellFormed}#${time}`;
  return name;
}
