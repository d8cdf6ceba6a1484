/**
 * The ledger of a principal's tasks: stores each task from its start until it is deleted. All data of callers and tools
 * is sealed (features/tasks); the ledger sees only states and times. Types and limits only.
 */
import type { TaskStatus } from "../model/task-state.ts";

export interface NewTask {
  readonly id: string;
  /** The partition of its principal. */
  readonly partition: string;
  readonly keys: readonly TaskKey[];
  /** What is needed to read the task. Stored as long as the task. Sealed. */
  readonly head: string;
  /** The call, with its caller's secrets. Stored until the task ends. Sealed. */
  readonly call: string;
  /** Roughly what the call takes in memory, in bytes of sealed text: one of many small objects takes more than its text. */
  readonly weight: number;
  /** Whether the tool may run again from its start after a crash. */
  readonly isRepeatable: boolean;
  /** How long the task is kept, in milliseconds. */
  readonly ttlMs: number;
  /** Most unfinished tasks that the principal may have. */
  readonly limit: number;
}

/** Identifies calls that are the same, and therefore share one task. */
export interface TaskKey {
  /** HMAC. */
  readonly key: string;
  /** HMAC of the input. A key with another fingerprint is a conflict. */
  readonly fingerprint: string;
  /** Whether the next call with this key starts a new task once a result was delivered. */
  readonly isFreed: boolean;
  /** Set for a key in the form of an earlier version: it finds tasks of that version, and new tasks do not get it. */
  readonly isEarlier?: true;
}

/** The task of a call: a new one, or that of an earlier call. */
export interface TaskOfCall {
  readonly state: "started" | "joined";
  readonly task: StoredTask;
}

/** Most megabytes that a ledger stores for all tasks of a principal together. One result may have 10 MB. */
export const KEPT_MB = 100;
export const MAX_KEPT_BYTES = KEPT_MB * 1_000_000;

/**
 * The most that the calls of all tasks of a principal with a run may weigh together, with the answers that they got, but
 * always two of them. Each run holds its call and its answers, and an isolate has 128 MB. Small ones do not count.
 */
export const MAX_RUNNING_BYTES = 7_000_000;

/** The most that the sealed questions and answers of one task may take, in bytes: a run gets all of them when it begins. */
export const MAX_ASKED_BYTES = 10_000_000;

export type Held =
  | TaskOfCall
  | { readonly state: "conflict" }
  /** Too many calls have joined the task. No more can until it ends. */
  | { readonly state: "crowded" };

export type Started =
  | Held
  /** The principal has as many unfinished tasks as it may, or their calls would weigh more than {@link MAX_RUNNING_BYTES}. */
  | { readonly state: "full" }
  /** The principal's tasks already take {@link MAX_KEPT_BYTES}. */
  | { readonly state: "no_room" };

export interface StoredTask {
  readonly id: string;
  readonly status: TaskStatus;
  readonly created: number;
  readonly updated: number;
  readonly expires: number;
  readonly sequence: number;
  /** Sealed, like all texts below. */
  readonly head: string;
  readonly report: string | undefined;
  /** Open questions by name. */
  readonly questions: Readonly<Record<string, string>>;
  readonly result: string | undefined;
  /** Whether it has ended and has keys that are freed once its result is delivered. */
  readonly isAwaited: boolean;
  readonly failure: TaskFailure | undefined;
  /**
   * Set if the result is left out because it is large. If the result has to wait for its turn, the task also looks
   * unfinished: read it again.
   */
  readonly isHeldBack?: boolean;
}

/** What the first run of a task, or a later one after a crash, needs. */
export interface Begun {
  /** Number of this run of the task. A run is over when the next one begins. */
  readonly run: number;
  readonly call: string;
  /** The questions that earlier runs asked, in order, with the answers so far. */
  readonly asked: readonly Asked[];
  /** The steps with `once` that earlier runs have entered. Ledgers of earlier versions do not say it. */
  readonly entered?: readonly string[];
}

export interface Asked {
  readonly name: string;
  readonly question: string;
  readonly answer: string | undefined;
}

/** Each method may be called again if its response was lost. */
export interface TaskLedger {
  /** Finds the task of an earlier call. @returns undefined if there is none */
  find(keys: readonly TaskKey[]): Promise<Held | undefined>;
  start(task: NewTask): Promise<Started>;
  /**
   * @param withResult by default true. "unless_large": a large result is held back, and does not wait for its turn
   * @returns undefined if there is no such task
   */
  read(id: string, withResult?: boolean | "unless_large"): Promise<StoredTask | undefined>;
  /**
   * Stores sealed answers to open questions.
   *
   * @param ttlMs  the least time for which the task is kept from now on, in milliseconds, so that it can go on
   * @param weight of the answers together, like that of a call ({@link NewTask.weight})
   * @returns false if there is no such task; "too_large" if its questions and answers would take more
   *          than {@link MAX_ASKED_BYTES}, or its call and answers alone would weigh more
   *          than {@link MAX_RUNNING_BYTES}; "full" if those of all tasks together
   *          would; "no_room" if the principal's tasks already take {@link MAX_KEPT_BYTES}
   */
  answer(
    id: string,
    answers: Readonly<Record<string, string>>,
    ttlMs: number,
    weight: number,
  ): Promise<boolean | "no_room" | "too_large" | "full">;
  /** @returns false if there is no such task */
  cancel(id: string): Promise<boolean>;
  /** Notes that a caller gets the result, and frees the keys that a delivered result frees. */
  deliver(id: string): Promise<void>;
  /** From now on, changes of the task are published. @returns false if there is no such task */
  watch(id: string): Promise<boolean>;

  // The methods below are for the run of a task. A run that is over gets `false` or undefined, and should stop.

  /**
   * @param attempt identifies this run: calls with the same value begin only one run
   * @returns undefined if the task must not run, because it has ended, or was cut short and must not run again
   */
  begin(id: string, attempt: string): Promise<Begun | undefined>;
  /**
   * Reports that the run is alive.
   *
   * @param report sealed
   * @returns the answers that no run has taken; undefined if the run is over
   */
  beat(id: string, run: number, report?: string): Promise<Readonly<Record<string, string>> | undefined>;
  ask(id: string, run: number, name: string, question: string): Promise<boolean>;
  /** Notes that the run continues with the answer to a question: it may have effects from then on. */
  take(id: string, run: number, name: string): Promise<boolean>;
  /** Notes that the run has done a step: nothing before it will be repeated. */
  checkpoint(id: string, run: number): Promise<boolean>;
  /** Enters a step that must not be done twice. @returns false if another run has entered it, or this one is over */
  enter(id: string, run: number, step: string): Promise<boolean | undefined>;
  /**
   * Ends the task with a sealed result.
   *
   * @param isFinal whether the outcome uses up the task's keys. If not, they are freed once the result is delivered
   * @param goesOn  whether the tool goes on nevertheless. Then the keys of a cancelled task stay taken until it expires
   */
  finish(id: string, run: number, result: string, isFinal: boolean, goesOn?: boolean): Promise<boolean>;
  /** Ends the task because it cannot run. */
  fail(id: string, run: number, failure: TaskFailure): Promise<boolean>;
}

/** Why a task has no result. */
export type TaskFailure =
  /** The run was cut short and must not run again, or the engine has lost it. It may have had its effect. */
  | "interrupted"
  /** The run has ended, but there is no room for its result. */
  | "no_room"
  /** The run was cut short too often, or its call cannot be opened. */
  | "lost"
  /** A deployment has removed the version that the task began with, or its caller may no longer use it. */
  | "gone"
  /** It was not done when it expired, for example because nobody answered its question. */
  | "expired";
