/** The context of a tool that runs as a task: its steps are kept by the engine, its questions by the ledger. */
import { readFault } from "../../../core/call/faults.ts";
import { type DoStep, LongRunContext } from "../../../core/call/long-context.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { WaitingTime } from "../../../core/lib/waiting-time.ts";
import type { Call, Granted } from "../../../core/model/call.ts";
import {
  askUntilFitting,
  CannotElicit,
  type Capability,
  type ClientCapability,
  capabilityFor,
  NotAnswered,
  type Question,
} from "../../../core/model/elicitation.ts";
import type { Fault } from "../../../core/model/outcome.ts";
import type { StepOptions } from "../../../core/model/tool-context.ts";
import type { Primitive, Runtime } from "../../../core/ports/runtime.ts";
import type { TaskLedger } from "../../../core/ports/task-ledger.ts";
import type { TaskSeal } from "../task-seal.ts";
import type { LedgerClient } from "./ledger-client.ts";

export interface EngineRun {
  /**
   * Does a step, or returns what it returned in an earlier run. The text is sealed, and `work` throws nothing that
   * must not be stored. If it throws a `RunOver`, that is not kept.
   */
  doStep(name: string, work: () => Promise<string>): Promise<string>;
  /** Resolves when the engine is told that a question was answered. May never do so, and may reject. */
  untilWoken(question: string): Promise<void>;
}

export interface TaskRun {
  readonly id: string;
  readonly run: number;
  readonly ledger: TaskLedger;
  readonly engine: EngineRun;
  readonly link: LedgerClient;
  readonly seal: TaskSeal;
  readonly capabilities: ReadonlySet<ClientCapability>;
  /** The steps with `once` that were entered, in whichever run, but for those that have failed and may be retried. */
  readonly mayHaveActed: Set<string>;
}

/** Thrown into a tool whose run must not go on. */
class RunOver extends Error {
  override readonly name = "RunOver";
}

/** What is kept of a step: what it returned, or the fault of the ToolError that it threw. */
type KeptStep =
  | { readonly value?: unknown; readonly sawSession?: true }
  | { readonly fault: Fault; readonly sawSession?: true }
  /**
   * The step must not be done twice, and another run had entered it. Later runs find this until the task has failed.
   */
  | { readonly isInterrupted: true };

export class TaskContext extends LongRunContext {
  readonly #task: TaskRun;
  /** Whether a step that is not done again may have read the session. */
  #sawSessionEarlier = false;
  #hasCheckpoint = false;
  readonly #waited = new WaitingTime(() => this.now());
  /** Whether a step that must not be done twice had been entered before. */
  isInterrupted = false;
  /** How often this run has reached a step that must not be done twice, by name. */
  readonly #entered = new Map<string, number>();

  constructor(call: Call, primitive: Primitive, granted: Granted, runtime: Runtime, task: TaskRun) {
    super(call, primitive, granted, runtime);
    this.#task = task;
  }

  protected override doStep: DoStep = async (name, work, { once }: StepOptions) => {
    const { id, run, ledger, engine, link, seal, mayHaveActed } = this.#task;
    if (link.isOver) throw this.#over("The task has ended, or goes on in another run");
    const place = once ? this.#placeOf(name) : name;
    if (once) mayHaveActed.add(place);
    let thrown: { readonly error: unknown } | undefined;
    const doWork = async (): Promise<KeptStep> => {
      try {
        if (once) await this.#enter(name, place);
        return { value: await work(), ...this.#seen };
      } catch (error) {
        thrown = { error };
        if (this.isInterrupted) return { isInterrupted: true };
        // Do not keep this as the step's failure: the run that goes on has the same engine.
        if (error instanceof RunOver) throw error;
        const fault = readFault(error, this.scrub);
        // The engine would store whatever another error says.
        if (fault === undefined) throw new Error("The step has failed");
        return { fault, ...this.#seen };
      }
    };
    let sealed: string;
    // If the engine cannot store the result, it calls this again: the work must not be repeated.
    let done: KeptStep | undefined;
    try {
      sealed = await engine.doStep(name, async () => {
        done ??= await doWork();
        return seal.seal("step", done);
      });
    } catch (error) {
      // Whether a step that failed in an earlier run has seen the session is not kept, so assume that it has.
      if (!thrown) this.#sawSessionEarlier = true;
      throw thrown ? thrown.error : error;
    }
    // The first of a run is enough: the ledger only has to know that there is one.
    if (!this.#hasCheckpoint && !(await ledger.checkpoint(id, run))) link.stop();
    this.#hasCheckpoint = true;
    const kept = done ?? (await seal.open<KeptStep>("step", sealed));
    if (once && "fault" in kept && kept.fault.canRetry) mayHaveActed.delete(place);
    if (thrown) throw thrown.error;
    if ("isInterrupted" in kept) {
      this.isInterrupted = true;
      link.stop();
      throw this.#over(`The step "${name}" must not be done twice`);
    }
    if (kept.sawSession) this.#sawSessionEarlier = true;
    if ("fault" in kept) throw Object.assign(new Error(kept.fault.message), { name: "ToolError", fault: kept.fault });
    return kept.value;
  };

  /** Also true if a step of an earlier run has seen the session: what it returned may come from there. */
  override get sawSession(): boolean {
    return this.#sawSessionEarlier || super.sawSession;
  }

  get #seen(): { readonly sawSession?: true } {
    return this.sawSession ? { sawSession: true } : {};
  }

  /** Enters a step that must not be done twice. @throws if another run has entered it, or this one is over */
  async #enter(name: string, place: string): Promise<void> {
    const { id, run, ledger, link } = this.#task;
    const isFirst = await ledger.enter(id, run, place);
    if (isFirst) return;
    this.isInterrupted = isFirst === false;
    link.stop();
    throw this.#over(`The step "${name}" must not be done twice, or the run is over`);
  }

  /** The error is not the tool's fault: its cause is the reason of the signal, which the tool was told to obey. */
  #over(message: string): RunOver {
    return new RunOver(message, { cause: this.signal.reason });
  }

  /** Tells steps of the same name apart by their order, as the engine does. */
  #placeOf(name: string): string {
    const count = (this.#entered.get(name) ?? 0) + 1;
    this.#entered.set(name, count);
    return `${count} ${name}`;
  }

  override canAsk(ability: Capability): boolean {
    return this.#task.capabilities.has(ability);
  }

  override get waitedMs(): number {
    return this.pausedMs + this.#waited.ms;
  }

  /** Unlike in a request, the caller may answer for as long as the task is kept. */
  override async ask(key: string, asked: MaybePromise<Question>): Promise<unknown> {
    const question = await asked;
    if (!this.canAsk(capabilityFor(question))) throw new CannotElicit(question);
    const { link, engine } = this.#task;
    const askOnce = async () => {
      const answer = await link.ask(key, question, (name) => engine.untilWoken(name));
      if (link.isOver) throw new NotAnswered("The call was over before its caller answered");
      return answer;
    };
    return this.#waited.during(() => askUntilFitting(key, question, askOnce));
  }
}
