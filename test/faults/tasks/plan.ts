/** What tasks are put through while their server is killed, and the counts of what happened. */

export interface TaskPlan {
  readonly seed: number;
  readonly tasks: number;
  readonly kills: number;
  /** How long the server lives between two kills, in milliseconds, at most. */
  readonly livesMs: number;
  /** How long a task's tool takes, in milliseconds, at most. */
  readonly takesMs: number;
  readonly leaseMs: number;
}

/** Moments at which the server is killed. */
export const MOMENTS = ["any", "start", "effect", "answer"] as const;
export type Moment = (typeof MOMENTS)[number];

/** The counts over all tasks of a plan. Those under `wrong` must be 0. */
export interface TaskTally {
  tasks: number;
  /** How many tasks a kill found unfinished, counted with each kill. */
  hit: number;
  kills: Record<Moment, number>;
  requests: number;
  /** Requests that had no answer because there was no server. */
  unanswered: number;
  /** Replies of a server that could not tell, by their message. */
  unavailable: Record<string, number>;
  completed: number;
  interrupted: number;
  refused: number;
  /** Interrupted without a kill: the test machine was so busy that a run gave no sign of life for a whole lease. */
  stalled: number;
  /** Effects that were repeated, where they may be. */
  repeatedEffects: number;
  asked: number;
  /** Questions that were asked before a kill and answered after it. */
  answeredLater: number;
  /** Answers that were kept, and whose task was cut short before its effect. */
  unusedAnswers: number;
  wrong: {
    /** Announced, and in no final state in the end. */
    unfinished: number;
    /** Ended in another way than it may: see `samples`. */
    misended: number;
    /** Another result when read again. */
    changed: number;
    /** The same key led to another task. */
    otherTask: number;
    /** Effects that must happen at most once, and happened again. */
    twice: number;
    /** Completed steps that were done again. */
    stepsAgain: number;
    /** A question that changed its key, or was asked again after its answer had been kept. */
    askedAgain: number;
  };
  samples: string[];
}

export function noTaskTally(): TaskTally {
  return {
    ...{ tasks: 0, hit: 0, requests: 0, unanswered: 0, completed: 0, interrupted: 0, refused: 0, stalled: 0 },
    ...{ repeatedEffects: 0, asked: 0, answeredLater: 0, unusedAnswers: 0 },
    unavailable: {},
    kills: { any: 0, start: 0, effect: 0, answer: 0 },
    wrong: { unfinished: 0, misended: 0, changed: 0, otherTask: 0, twice: 0, stepsAgain: 0, askedAgain: 0 },
    samples: [],
  };
}
