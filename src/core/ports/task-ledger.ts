/**
 * The ledger of a principal's tasks: what is known of each, from its start until it is forgotten. Everything that a
 * caller or a tool says is sealed (tasks/task-seal.ts); the ledger sees only states and times.
 */
import type { TaskStatus } from "../model/task-state.ts";

/** A task to start. */
export interface NewTask {
  readonly id: string;
  /** The partition of its principal. */
  readonly partition: string;
  readonly keys: readonly TaskKey[];
  /** Kept as long as the task: what reading it requires. Sealed. */
  readonly head: string;
  /** Kept until the task ends: the call, with its caller's secrets. Sealed. */
  readonly call: string;
  /** Whether the tool may run again from its start after a crash. */
  readonly isRepeatable: boolean;
  /** How long the task is kept, in milliseconds. */
  readonly ttlMs: number;
  /** How many unfinished tasks the principal may have. */
  readonly limit: number;
}

/** Identifies calls that are the same: the task of the first is that of all. */
export interface TaskKey {
  /** HMAC. */
  readonly key: string;
  /** HMAC of the input. A key with another fingerprint is a conflict. */
  readonly fingerprint: string;
  /** Whether the next call with this key starts a new task once a result was delivered. */
  readonly isFreed: boolean;
  /** No task gets it any more: it finds those that an earlier version has begun. */
  readonly isEarlier?: true;
}

/** The task of a call: a new one, or that of an earlier call. */
export interface TaskOfCall {
  readonly state: "started" | "joined";
  readonly task: StoredTask;
}

/** What a ledger keeps of all tasks of a principal together, at most: each may have a result of 10 MB. */
export const KEPT_MB = 100;
export const MAX_KEPT_BYTES = KEPT_MB * 1_000_000;

/** What has a key. */
export type Held =
  | TaskOfCall
  | { readonly state: "conflict" }
  /** So many calls have joined the task that this one cannot, until the task ends. */
  | { readonly state: "crowded" };

export type Started =
  | Held
  /** The principal has too many unfinished tasks. */
  | { readonly state: "full" }
  /** What is kept of the principal's tasks takes {@link MAX_KEPT_BYTES}. */
  | { readonly state: "no_room" };

/** A task as the ledger keeps it. */
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
  /** Whether it has ended, and has keys that are freed once its result is delivered. */
  readonly isAwaited: boolean;
  readonly failure: TaskFailure | undefined;
}

/** What a run needs to begin, or to begin again. */
export interface Begun {
  /** Counts the runs of this task. A run is over when the next one begins. */
  readonly run: number;
  readonly call: string;
  /** The questions that earlier runs have asked, in order, with the answers so far. */
  readonly asked: readonly Asked[];
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
  /** @param withResult by default true. @returns undefined if there is no such task */
  read(id: string, withResult?: boolean): Promise<StoredTask | undefined>;
  /** Keeps sealed answers to open questions. @returns false if there is no such task */
  answer(id: string, answers: Readonly<Record<string, string>>): Promise<boolean | "no_room">;
  /** @returns false if there is no such task */
  cancel(id: string): Promise<boolean>;
  /** The result goes to a caller: keys that a delivered result frees belong to the next call. */
  deliver(id: string): Promise<void>;
  /** Has changes of the task published. @returns false if there is no such task */
  watch(id: string): Promise<boolean>;

  // From here on, for the run of a task. A run that is over gets `false` or undefined, and should stop.

  /**
   * @param attempt identifies this run: with the same, it begins once, however often it asks
   * @returns undefined if the task must not run: it has ended, or was cut short and must not run again
   */
  begin(id: string, attempt: string): Promise<Begun | undefined>;
  /** A sign of life, with a sealed report if there is a new one. @returns the answers so far; undefined if it is over */
  beat(id: string, run: number, report?: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** Opens a question. */
  ask(id: string, run: number, name: string, question: string): Promise<boolean>;
  /** The run goes on with the answer to a question: it may act from here on. */
  take(id: string, run: number, name: string): Promise<boolean>;
  /** The run has done a step: what lies before it will not be repeated. */
  checkpoint(id: string, run: number): Promise<boolean>;
  /** Enters a step that must not be done twice. @returns false if another run has entered it, or this one is over */
  enter(id: string, run: number, step: string): Promise<boolean | undefined>;
  /**
   * Ends the task with a sealed result.
   *
   * @param isFinal whether the outcome uses up the task's keys. Otherwise they are free once the result was delivered
   */
  finish(id: string, run: number, result: string, isFinal: boolean): Promise<boolean>;
  /** Ends the task because it cannot run. */
  fail(id: string, run: number, failure: TaskFailure): Promise<boolean>;
}

/** Why a run could not be continued, or has no result. */
export type TaskFailure =
  /** It was cut short, and must not run again, or the engine has lost it: it may have had its effect. */
  | "interrupted"
  /** It has ended, and there is no room for its result. */
  | "no_room"
  /** It was cut short too often, or its call cannot be opened. */
  | "lost"
  /** A deployment has removed the version that the task began with, or its caller may not use it any more. */
  | "gone";
