/** Runs a task: `execute` goes on with its stored call at the step `load`, and its ledger gets the result. */
import { audit } from "../../../core/call/audit.ts";
import { check } from "../../../core/call/check-output.ts";
import { execute, type Steps } from "../../../core/call/execute.ts";
import { NOTHING_REQUIRED, resolveRequirements } from "../../../core/call/requirements.ts";
import type { RunTool } from "../../../core/call/run-tool.ts";
import { TooLarge } from "../../../core/crypto/seal.ts";
import { describeError, type Log } from "../../../core/lib/log.ts";
import { atMost } from "../../../core/lib/wait.ts";
import { DEFAULT_TIMEOUT_MS } from "../../../core/model/default-time-limit.ts";
import { isFinal, type Outcome } from "../../../core/model/outcome.ts";
import type { Runtime } from "../../../core/ports/runtime.ts";
import type { Begun, TaskFailure, TaskLedger } from "../../../core/ports/task-ledger.ts";
import { callOf, type KeptResult, type TaskCall } from "../task-call.ts";
import { type TaskSeal, taskSeal } from "../task-seal.ts";
import { FAILURES } from "../task-view.ts";
import { LedgerClient } from "./ledger-client.ts";
import { type EngineRun, TaskContext } from "./task-context.ts";

export interface TaskDependencies {
  readonly id: string;
  readonly partition: string;
  readonly ledger: TaskLedger;
  readonly engine: EngineRun;
  /** Runs a tool, with what features do around it. */
  readonly run: RunTool;
  readonly runtime: Runtime;
  /** How long it is between two signs of life, in milliseconds. */
  readonly beatMs: number;
}

interface EndedRun extends KeptResult {
  /**
   * Whether the same call may run again: after a retryable failure, or when a run has obeyed its signal, unless a step
   * goes on or must not be done twice.
   */
  readonly mayRunAgain: boolean;
  /** Whether the tool or a step goes on, in spite of its time limit or a cancellation. */
  readonly goesOn: boolean;
}

type Ended = EndedRun | { readonly failure: TaskFailure };

/** How long a run that has ended tries to tell its ledger, in milliseconds: longer than any restart of an object. */
const PATIENCE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;
/** How long a tool may go on after its time limit, in milliseconds. Its result still counts then. */
const GRACE_MS = 30_000;
/** How often a run that is over looks whether its steps have ended, in milliseconds. */
const STEPS_MS = 250;
const TOO_LARGE = "The tool's result is too large to be kept.";

/**
 * Runs a task, unless it has ended or must not run again. Rejects only if the run could not begin: the engine tries
 * again then. It must not do so later, because the tool has run.
 */
export async function runTask(dependencies: TaskDependencies): Promise<void> {
  const { id, partition, ledger, runtime } = dependencies;
  const seal = await taskSeal(runtime.signer, partition, id);
  const opened = await begin(dependencies, seal);
  if (opened === undefined) return;
  const { call, begun } = opened;
  const end = (ended: KeptEnd) => keepTrying(() => ended(ledger, begun.run), runtime.log);
  if (call === undefined) return end((to, run) => to.fail(id, run, "lost"));
  const link = new LedgerClient({ ...dependencies, begun, seal, log: runtime.log });
  try {
    const ended = await carryOut(call, begun, link, seal, dependencies);
    if ("failure" in ended) return await end((to, run) => to.fail(id, run, ended.failure));
    const { mayRunAgain, goesOn, ...result } = ended;
    const sealed = await seal.seal("result", result).catch((error) => {
      if (!(error instanceof TooLarge)) throw error;
      runtime.log({ level: "warning", message: "result too large to be kept", callId: call.callId, tool: call.toolId });
      const tooLarge: Outcome = { kind: "failed", fault: { message: TOO_LARGE } };
      return seal.seal("result", { ...result, outcome: tooLarge });
    });
    await end((to, run) => to.finish(id, run, sealed, !mayRunAgain, goesOn));
  } catch (error) {
    runtime.log({ level: "error", message: "task not carried out", error: describeError(error) });
    await end((to, run) => to.fail(id, run, "lost"));
  } finally {
    link.end();
  }
}

type OpenedRun = Omit<Begun, "call">;

/**
 * Begins a run and opens its call, whose sealed form is not kept: either may be megabytes long.
 *
 * @returns undefined if there is nothing to run. The call is undefined if it cannot be opened
 */
async function begin({ id, ledger, runtime }: TaskDependencies, seal: TaskSeal) {
  const started = await ledger.begin(id, crypto.randomUUID());
  if (started === undefined) return undefined;
  const { call: sealed, ...begun } = started;
  const call = await seal.open<TaskCall>("call", sealed).catch((error) => {
    // The signing key was replaced.
    runtime.log({ level: "error", message: "task not opened", error: describeError(error) });
    return undefined;
  });
  return { call, begun };
}

/** Tells a ledger how a run has ended. */
type KeptEnd = (ledger: TaskLedger, run: number) => Promise<unknown>;

/** Tries until it succeeds: the ledger may be restarting. If it fails for ten minutes, the watchdog decides. */
async function keepTrying(work: () => Promise<unknown>, log: Log): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if (Date.now() + pauseMs > until) {
        return log({ level: "error", message: "end of task not kept", error: describeError(error) });
      }
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  }
}

async function carryOut(
  kept: TaskCall,
  begun: OpenedRun,
  link: LedgerClient,
  seal: TaskSeal,
  dependencies: TaskDependencies,
): Promise<Ended> {
  const { id, ledger, engine, run } = dependencies;
  const call = { ...callOf(kept), client: link, sink: link };
  const runtime = { ...dependencies.runtime, catalog: dependencies.runtime.catalog.visibleTo(call.principal) };
  const found = runtime.catalog.find(call.tool, call.toolkit);
  const entry = "entry" in found ? found.entry : undefined;
  const failed = (failure: TaskFailure): Ended => {
    audit(runtime, call, entry, { kind: "failed", fault: { message: FAILURES[failure] } }, 0);
    return { failure };
  };
  if (entry === undefined) return failed("gone");
  const mayHaveActed = new Set(begun.entered);
  let isStillRunning = false;
  const ended = (outcome: Outcome, durationMs = 0): EndedRun => {
    // The log says what happened, also if the caller is told otherwise below.
    audit(runtime, call, entry, outcome, durationMs);
    const isUsedUp = isStillRunning || mayHaveActed.size > 0;
    const goesOn = isStillRunning;
    if (isUsedUp) return { outcome: withoutRetry(outcome), durationMs, mayRunAgain: false, goesOn };
    return { outcome, durationMs, mayRunAgain: !isFinal(outcome), goesOn };
  };

  const { requirements } = entry.options;
  const resolved = requirements ? resolveRequirements(requirements, call.context, runtime.secret) : NOTHING_REQUIRED;
  if ("missing" in resolved) {
    const { missing } = resolved;
    return ended({ kind: "refused", refusal: { reason: "requirements", name: entry.id, missing } });
  }
  const { granted } = resolved;
  const capabilities = new Set(kept.capabilities);
  const task = { id, run: begun.run, ledger, engine, link, seal, capabilities, mayHaveActed };
  const context = new TaskContext(call, entry, granted, runtime, task);
  context.prepared = kept.prepared;
  // Nobody else may run this task, so there is no lease to extend.
  const { idempotencyKey, seed = idempotencyKey } = kept;
  const lease = { storeKey: idempotencyKey, fingerprint: seed, extend: async () => true };
  const steps: Steps = {
    makeRun: (definition, input) => ({ definition, input, granted, primitive: entry, caller: call, runtime, context }),
    async carryOut(tool) {
      const started = runtime.now();
      const { outcome, durationMs, late } = await run(tool, check, lease);
      // A tool that has been told to end may take its time. If its task was cancelled, its key is taken until then, or until
      // its time limit.
      const limitMs = (entry.options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + context.waitedMs - durationMs;
      const graceMs = outcome.kind === "cancelled" ? Math.max(GRACE_MS, limitMs) : GRACE_MS;
      let end: Outcome | "still running" | undefined = late && "still running";
      const ending = late?.then((ended) => {
        end = ended;
      });
      const until = runtime.now() + graceMs;
      if (ending) await atMost(ending, graceMs);
      // Steps that have begun go on when the run is over, but no further ones begin.
      const isOver = !isFinal(outcome);
      if (isOver) link.stop();
      const hasSteps = () => isOver && context.openSteps > 0;
      while (hasSteps() && runtime.now() < until) await new Promise((resume) => setTimeout(resume, STEPS_MS));
      isStillRunning = end === "still running" || hasSteps();
      if (end === undefined || end === "still running") return { outcome, durationMs, entry };
      return { outcome: end, durationMs: runtime.now() - started, entry };
    },
    // A run never repeats a call that has a result.
    recall: async () => undefined,
  };
  const { outcome, durationMs } = await execute(call, runtime, steps, { entry, granted });
  if (context.isInterrupted) return failed("interrupted");
  const sawSession = kept.sawSession === true || context.sawSession;
  return { ...ended(outcome, durationMs), sawSession };
}

/** The outcome of a call that must not run again, without the advice to try again. */
function withoutRetry(outcome: Outcome): Outcome {
  if (outcome.kind === "failed" && outcome.fault.canRetry) {
    const { message, developerMessage } = outcome.fault;
    return { kind: "failed", fault: { message, developerMessage } };
  }
  if (outcome.kind !== "timed_out") return outcome;
  const message = `The tool took longer than ${outcome.limitMs} ms. The call may have had its effect, so it is not run again.`;
  return { kind: "failed", fault: { message } };
}
