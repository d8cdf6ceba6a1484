/** Carries out calls of long tools as tasks: starts or joins a task, waits for it, and lets its caller follow it. */

import { ANSWER_MS } from "../../core/call/questions.ts";
import { randomId } from "../../core/crypto/encoding.ts";
import { TooLarge } from "../../core/crypto/seal.ts";
import type { Signer } from "../../core/crypto/signer.ts";
import {
  type CallKeys,
  isSameCall,
  keysOf,
  mayContinue,
  partyOf,
  sessionOfReplay,
} from "../../core/idempotency/idempotency.ts";
import { ConcurrencyLimit } from "../../core/lib/concurrency-limit.ts";
import { countContainers } from "../../core/lib/json.ts";
import { describeError } from "../../core/lib/log.ts";
import type { Call, Caller } from "../../core/model/call.ts";
import type { CallResult, TaskView } from "../../core/model/call-result.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import { DEFAULT_TIMEOUT_MS } from "../../core/model/default-time-limit.ts";
import type { Fault, Refusal } from "../../core/model/outcome.ts";
import { GRANT, granted, isIdentified, isNamed, isOneUser, partitionOf } from "../../core/model/principal.ts";
import type { LongCall, Prepared, Runtime, TaskCaller, Tasks } from "../../core/ports/runtime.ts";
import {
  KEPT_MB,
  MAX_ASKED_BYTES,
  MAX_RUNNING_BYTES,
  type Started,
  type StoredTask,
  type TaskKey,
  type TaskLedger,
  type TaskOfCall,
} from "../../core/ports/task-ledger.ts";
import { MAX_CONTAINERS, PER_CONTAINER } from "../../http/body.ts";
import { answeredTask, answerQuestions } from "./answer-questions.ts";
import { type TaskHead, taskCall } from "./task-call.ts";
import { taskSeal } from "./task-seal.ts";
import { MAX_POLL_MS, pollMsAt, viewOf } from "./task-view.ts";

export interface TasksDependencies {
  readonly ledgerOf: (partition: string) => TaskLedger;
  /** How long a call waits for the result of its task, in milliseconds. */
  readonly waitMs: number;
  /** How many unfinished tasks a principal may have. */
  readonly limit: number;
  /** How long a task is kept after its time limit, in milliseconds. */
  readonly keepMs: number;
}

const NOTHING_PREPARED: Prepared = { value: undefined, sawSession: false };
const RETRY_MS = 1_000;
/** When a caller without room for more should come back, in milliseconds. */
const ROOM_MS = 60_000;
/** How long a waiting call pauses before it asks the ledger again, in milliseconds: at first, and after some time. */
const MIN_PAUSE_MS = 50;
/** Less than {@link WAITING_MS}. */
const MAX_PAUSE_MS = 5_000;
/** The most calls that wait for one task in an isolate: each looks every two seconds. */
const MAX_WAITING = 64;
/** The most calls that wait for all tasks of one principal. */
const MAX_WAITING_OF_PRINCIPAL = 256;
/**
 * How long a call keeps its place after it has looked at its task, in milliseconds. If its client hangs up, the runtime
 * may end its request at once, with nothing that would give the place back. A look at a large result takes up to ten
 * seconds.
 */
const WAITING_MS = 20_000;
const CROWDED = "Many calls wait for the same run already; send one of them again, or wait until it ends";
const TOO_LARGE = "The input is too large to be kept until the call has run";
/** How long JSON is, in proportion to its sealed text. */
const JSON_IN_SEALED = 0.75;
const RUNNING_MB = Math.floor(inJson(MAX_RUNNING_BYTES));
const NO_ROOM: Fault = {
  message: `What is kept of your calls of long tools takes ${KEPT_MB} MB; wait until some of them expire`,
  canRetry: true,
  retryAfterMs: ROOM_MS,
};
const TASK_TOO_LARGE: Fault = {
  message: `With this answer, the input and answers of the call would take more than ${RUNNING_MB} MB (objects and lists count for more than their text), or its questions and answers more than ${inJson(MAX_ASKED_BYTES)} MB; send a smaller answer, or cancel the call`,
};
const NO_ROOM_TO_RUN: Fault = {
  message: `This answer, and what your running calls of long tools hold, would take more than ${RUNNING_MB} MB; send a smaller one, or wait until one of them ends`,
  canRetry: true,
  retryAfterMs: ROOM_MS,
};
/** The answer to a caller who names a task that is unknown, or that another user began. */
export const UNKNOWN_TASK: Fault = {
  message: "There is no such call of this tool, or its result has expired; call the tool anew, without task_id",
};

export function createTasks({ ledgerOf, waitMs, limit, keepMs }: TasksDependencies): Tasks {
  const ledgerFor = ({ caller }: TaskCaller) => ledgerOf(partitionOf(caller.principal));

  const ttlOf = ({ options }: CatalogEntry) => (options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + keepMs;

  /** Starts a task for a call, or finds that of an earlier one. */
  const start = async (long: LongCall, prepared: Prepared, keys: readonly TaskKey[]): Promise<Started> => {
    const { caller, primitive, runtime } = long;
    const partition = partitionOf(caller.principal);
    // Begins with a letter, because the id of a workflow's instance must not begin with "-" (Workflows, Limits).
    const id = `t${randomId()}`;
    const seal = await taskSeal(runtime.signer, partition, id);
    const { annotations } = primitive.options;
    const { sessionId, beginsSession: begun = false } = caller;
    const head: TaskHead = {
      toolId: primitive.id,
      version: primitive.version,
      scopes: usedScopes(caller, runtime),
      session: sessionId === undefined ? undefined : { id: sessionId, begun, by: partyOf(caller) },
      grant: caller.principal[GRANT] ?? null,
      run: id,
      isUnidentified: !isIdentified(caller.principal, runtime),
    };
    const plain = taskCall(
      long,
      prepared,
      await idempotencyKeyOf(runtime.signer, id, keys),
      await runtime.signer.sign(`task's pages ${id}`),
    );
    const call = await seal.seal("call", plain);
    return ledgerOf(partition).start({
      ...{ id, partition, keys, limit, call },
      head: await seal.seal("head", head),
      weight: weightOf(call.length, plain),
      isRepeatable: annotations?.idempotent === true || annotations?.readOnly === true,
      ttlMs: ttlOf(primitive),
    });
  };

  /** @returns undefined if this caller may not see the task */
  const open = async (stored: StoredTask, by: TaskCaller): Promise<TaskView | undefined> => {
    const seal = await taskSeal(by.runtime.signer, partitionOf(by.caller.principal), stored.id);
    return viewOf(stored, seal, by);
  };

  const read = async (
    id: string,
    by: TaskCaller,
    withResult?: boolean | "unless_large",
  ): Promise<TaskView | undefined> => {
    const stored = await ledgerFor(by).read(id, withResult);
    return stored && open(stored, by);
  };

  /** Like {@link read}, for a caller who names the task: only the user who began it may. */
  const readOwn: typeof read = async (id, by, withResult) => {
    const task = await read(id, by, withResult);
    return task && !isAnothers(task, by.caller) ? task : undefined;
  };

  /** Whether this caller may name the task. Does not read its result, which may be large. */
  const isVisible = async (id: string, by: TaskCaller): Promise<boolean> =>
    (await readOwn(id, by, false)) !== undefined;

  const answer: Tasks["answer"] = async (id, answers, by) => {
    const task = await readOwn(id, by, false);
    if (task === undefined) return false;
    // A request has room for tens of thousands of answers, and sealing and keeping each takes time.
    const open = [...answers].filter(([name]) => task.questions.has(name));
    if (open.length === 0) return true;
    const partition = partitionOf(by.caller.principal);
    const seal = await taskSeal(by.runtime.signer, partition, id);
    const sealing = open.map(async ([name, value]) => [name, await seal.seal(`answer ${name}`, value)] as const);
    const sealed = await Promise.all(sealing);
    const weight = weightOf(
      sealed.reduce((sum, [, text]) => sum + text.length, 0),
      Object.fromEntries(open),
    );
    // The run may now wait for its user at a page, and its time limit does not include that.
    const ttlMs = ttlOf(task.entry) + ANSWER_MS;
    const kept = await ledgerFor(by).answer(id, Object.fromEntries(sealed), ttlMs, weight);
    if (kept === "too_large") return TASK_TOO_LARGE;
    if (kept === "full") return NO_ROOM_TO_RUN;
    if (kept === true) extendCallbacks(partition, id, Date.now() + ttlMs, by.runtime);
    return kept === "no_room" ? NO_ROOM : kept;
  };

  /**
   * Asks the ledger again and again, each time after a longer pause, until the task has changed or the time is over. A
   * ledger that answered only when the task has changed would stay awake until then, which costs more.
   *
   * @returns undefined if the task is gone
   */
  const changed = async (
    task: TaskView,
    by: { caller: Caller; runtime: Runtime },
    until: number,
    onLook: () => void,
  ) => {
    for (let pauseMs = MIN_PAUSE_MS; ; pauseMs *= 2) {
      pauseMs = Math.min(pauseMs, MAX_PAUSE_MS, pollMsAt(Date.now() - task.createdAt));
      await new Promise((resume) => setTimeout(resume, Math.min(pauseMs, Math.max(0, until - Date.now()))));
      const next = await read(task.id, by);
      onLook();
      if (next?.sequence !== task.sequence || Date.now() >= until || by.caller.client?.isOver) return next;
    }
  };

  type Waiting = [
    task: TaskView,
    caller: Caller,
    runtime: Runtime,
    /** Whether the caller may learn more of the task than its result. */
    mayFollow: boolean,
    give: (ended: TaskView, result: CallResult) => CallResult,
  ];
  const most = Number.POSITIVE_INFINITY;
  const waiting = new ConcurrencyLimit({ most, each: MAX_WAITING, forMs: WAITING_MS });
  const waitingOfPrincipals = new ConcurrencyLimit({ most, each: MAX_WAITING_OF_PRINCIPAL, forMs: WAITING_MS });

  /** Like {@link waitForResult}, but if too many wait for the task already, the call is told to come back. */
  const waitInTurn = async (...given: Waiting): Promise<CallResult> => {
    const [task, { principal }, , mayFollow] = given;
    const place = waiting.begin(task.id);
    const placeOfPrincipal = place && waitingOfPrincipals.begin(partitionOf(principal));
    try {
      if (placeOfPrincipal === undefined && task.result === undefined) return unfinished(task, mayFollow);
      return await waitForResult(...given, () => {
        place?.renew();
        placeOfPrincipal?.renew();
      });
    } finally {
      place?.end();
      placeOfPrincipal?.end();
    }
  };

  /**
   * Waits until the task ends, asks a question that its caller cannot answer at once, or the time is over.
   *
   * @param onLook called when it has looked at the task
   */
  const waitForResult = async (
    ...[first, caller, runtime, mayFollow, give, onLook]: [...Waiting, onLook: () => void]
  ): Promise<CallResult> => {
    const { id, entry } = first;
    // Make the signal here, before the client can have gone.
    const gone = caller.client?.signal;
    caller.client?.onWait?.();
    const by = { caller, runtime };
    const inTime = () => (caller.client?.isPatient ? Number.POSITIVE_INFINITY : Date.now() + waitMs);
    let until = inTime();
    let task = first;
    for (;;) {
      if (task.result) {
        // A result that nobody is there to receive is for the call that will be repeated.
        if (task.isAwaited && !gone?.aborted) await ledgerFor(by).deliver(id);
        return give(task, task.result);
      }
      if (task.progress && mayFollow) {
        const { done, total, message } = task.progress;
        caller.sink?.progress(done, total, message);
      }
      if (task.questions.size > 0 && mayFollow) {
        let refusal: Fault | undefined;
        const asked = await answerQuestions(task, caller, async (answers) => {
          const kept = await answer(id, answers, by);
          if (typeof kept === "object") refusal = kept;
        });
        if (refusal) return failed(refusal, entry);
        if (asked) return { outcome: asked, durationMs: 0, entry };
        // Now the tool goes on, which a caller who has just answered should see.
        until = inTime();
      }
      if (Date.now() >= until || caller.client?.isOver) return unfinished(task, mayFollow);
      const next = await changed(task, by, until, onLook);
      if (next === undefined) return failed(UNKNOWN_TASK, entry);
      // The time is over, or the client has gone.
      if (next.sequence === task.sequence) return unfinished(next, mayFollow);
      task = next;
    }
  };

  const resume = async (id: string, entry: CatalogEntry, caller: Caller, runtime: Runtime): Promise<CallResult> => {
    const task = await readOwn(id, { caller, runtime });
    // The task is of another tool or another caller, or has expired.
    if (task?.entry.id !== entry.id) return failed(UNKNOWN_TASK, entry);
    // Only the caller who began it was told its id, so it is theirs from any session: theirs may have been replaced.
    return waitInTurn(task, caller, runtime, true, ({ session }, result) =>
      session === undefined || session.id === caller.sessionId
        ? result
        : { ...result, sessionId: mayContinue(session, caller) ? session.id : null },
    );
  };

  const carryOut = async (long: LongCall): Promise<CallResult> => {
    const { caller, primitive: entry } = long;
    const { key, followsTasks = false } = caller;
    const answered = answeredTask(caller);
    if (answered !== undefined) return resume(answered, entry, caller, long.runtime);
    const keys = await taskKeys(long, key, followsTasks);
    const { prepare } = long;
    // A call that joins a task must not ask again what was answered before the task began.
    const joined = prepare && (await ledgerFor(long).find(keys));
    const prepared = prepare && !joined ? await prepare() : NOTHING_PREPARED;
    if ("outcome" in prepared) return { outcome: prepared.outcome, durationMs: 0, entry };
    const started: Started = joined ?? (await start(long, prepared, keys));
    if (started.state === "conflict") return refused({ reason: "conflict" }, entry);
    if (started.state === "full") {
      const room = `this input and theirs would take more than ${RUNNING_MB} MB`;
      const message = `You have ${limit} unfinished calls of long tools, or ${room}; wait until one ends`;
      return failed({ message, canRetry: true, retryAfterMs: MAX_POLL_MS }, entry);
    }
    if (started.state === "crowded")
      return failed({ message: CROWDED, canRetry: true, retryAfterMs: MAX_POLL_MS }, entry);
    if (started.state === "no_room") return failed(NO_ROOM, entry);
    return resultOf(started, long);
  };

  /** @returns the result of a call that has started a task, or joined one */
  const resultOf = async (
    started: TaskOfCall,
    { caller, primitive: entry, runtime }: Pick<LongCall, "caller" | "primitive" | "runtime">,
  ): Promise<CallResult> => {
    const task = await open(started.task, { caller, runtime });
    // A narrower credential does not get the result of a broader one, nor one version the result of another.
    const isConflict = (one: TaskView) => started.state === "joined" && !isSameCall(one, caller);
    if (task === undefined || isConflict(task)) return refused({ reason: "conflict" }, entry);
    const mayFollow = started.state === "started" || isBegunBy(task, caller, runtime);
    const give = (ended: TaskView, result: CallResult): CallResult => {
      if (started.state === "started" || caller.key === undefined) return result;
      // What the tool has seen is known only now.
      if (isConflict(ended)) return refused({ reason: "conflict" }, entry);
      return { ...result, replayed: true, sessionId: sessionOfReplay(ended.session, caller) };
    };
    if (!caller.followsTasks) return waitInTurn(task, caller, runtime, mayFollow, give);
    return task.result ? give(task, task.result) : unfinished(task, mayFollow);
  };

  const recall: Tasks["recall"] = async (attempt) => {
    const { caller, primitive, runtime } = attempt;
    const { storeKey, fingerprint } = await keysOf(attempt, caller.key ?? "");
    const found = await ledgerFor(attempt).find([{ key: storeKey, fingerprint, isFreed: false }]);
    // A different call under this key: the reason why it cannot run says more.
    return found?.state === "joined" ? resultOf(found, { caller, primitive, runtime }) : undefined;
  };

  return {
    carryOut: (long) =>
      carryOut(long).catch((error) =>
        error instanceof TooLarge
          ? failed({ message: TOO_LARGE }, long.primitive)
          : unavailable(error, long.primitive, long.caller, long.runtime),
      ),
    recall: (attempt) =>
      recall(attempt).catch((error) => unavailable(error, attempt.primitive, attempt.caller, attempt.runtime)),
    resume: (id, entry, caller, runtime) =>
      resume(id, entry, caller, runtime).catch((error) => unavailable(error, entry, caller, runtime)),
    async read(id, by) {
      const task = await readOwn(id, by);
      if (task?.result && task.isAwaited) await ledgerFor(by).deliver(id);
      return task;
    },
    look: (id, by, withResult = true) => readOwn(id, by, withResult && "unless_large"),
    answer,
    async cancel(id, by) {
      return (await isVisible(id, by)) && ledgerFor(by).cancel(id);
    },
    async watch(id, by) {
      return (await isVisible(id, by)) && ledgerFor(by).watch(id);
    },
  };
}

/** Whether another user with the same key began the task. False for tasks of earlier versions, which do not say it. */
function isAnothers({ grant }: TaskView, { principal }: Pick<Caller, "principal">): boolean {
  return grant !== undefined && grant !== (principal[GRANT] ?? null);
}

/**
 * Whether the user who joins a task by its idempotency key is known to be the one who began it. Any other gets the
 * result of the same call when it has ended, and before that neither its id, with which it can be cancelled, nor its
 * questions, which are not theirs to answer. Nor does a call from another session with a credential that several people
 * may share: until the end, nobody knows whether the tool uses the session of the first.
 */
function isBegunBy(task: TaskView, caller: Call, { isLocal = false }: Runtime): boolean {
  const { session } = task;
  const { principal, context, sessionId } = caller;
  if (isAnothers(task, caller)) return false;
  if (session === undefined || session.id === sessionId || isLocal || isOneUser(principal, context.userId)) return true;
  return isNamed(principal) && isSameCall({ ...task, session: { ...session, seen: true } }, caller);
}

/**
 * The keys of a task. Calls with the same idempotency key are one call. Without one, a caller that waits may repeat its
 * call until it has the result: with the call's id, if its protocol showed it, or simply with the same input.
 */
async function taskKeys(long: LongCall, key: string | undefined, followsTasks: boolean): Promise<TaskKey[]> {
  const keyed = ({ storeKey, fingerprint }: CallKeys) => ({ key: storeKey, fingerprint, isFreed: false });
  if (key !== undefined) return [keyed(await keysOf(long, key))];
  if (followsTasks) return [];
  const { caller, primitive, runtime } = long;
  const { sessionId, callId, principal, context } = caller;
  const byCallId = caller.showsCallId ? [keyed(await keysOf(long, callId))] : [];
  // Whoever joins a task may be asked its questions, and get what another user has answered. Under `npm start`, all
  // callers are the owner.
  const mayBeAsked = (caller.elicitation?.capabilities.size ?? 0) > 0;
  const isOneCaller = isOneUser(principal, context.userId) || sessionId !== undefined || runtime.isLocal;
  if (mayBeAsked && !isOneCaller && !isNamed(principal)) return byCallId;
  // No client has an empty key.
  const { storeKey, fingerprint } = await keysOf(long, "");
  // Calls that would not get the result, because they have fewer scopes or want another version, have another key.
  // So do calls of another sign-in.
  const same = [fingerprint, sessionId, primitive.version, usedScopes(caller, runtime)];
  const grant = principal[GRANT];
  const rest = JSON.stringify(grant === undefined ? same : [...same, grant]);
  const byInput = { key: await runtime.signer.sign(`task by input ${storeKey} ${rest}`), fingerprint, isFreed: true };
  // Earlier versions took all who share a key for one user.
  if (mayBeAsked && !isOneCaller) return [{ ...byInput, isEarlier: true }, ...byCallId];
  return [byInput, ...byCallId];
}

/** What a tool passes on to services as its idempotency key: the same in all runs, and not the task's id. */
async function idempotencyKeyOf(signer: Signer, id: string, keys: readonly TaskKey[]): Promise<string> {
  const own = keys.find(({ isFreed }) => !isFreed);
  return own?.key ?? signer.sign(`task's idempotency key ${id}`);
}

/** The scopes that are needed to read the result. */
function usedScopes({ principal: { scopes } }: Call, { catalog }: Runtime): TaskHead["scopes"] {
  const used = granted(catalog.scopes, scopes);
  return scopes === "all" && used.length > 0 ? "all" : used;
}

/**
 * As for bodies (http/body.ts): each object or list counts, and no call or answer counts as more than half of the limit.
 *
 * @param length of the sealed value
 */
function weightOf(length: number, value: unknown): number {
  const most = Math.max(length, MAX_RUNNING_BYTES / 2);
  return Math.min(most, length + (PER_CONTAINER * countContainers(value, MAX_CONTAINERS)) / JSON_IN_SEALED);
}

/** @param bytes of sealed text @returns the megabytes of JSON in it */
function inJson(bytes: number): number {
  return (JSON_IN_SEALED * bytes) / 1_000_000;
}

/** In the background: a task has its answer, whether or not its callbacks can be kept for longer. */
function extendCallbacks(partition: string, id: string, expires: number, { callbacks, defer, log }: Runtime): void {
  const report = (error: unknown) =>
    log({ level: "warning", message: "callbacks not extended", error: describeError(error) });
  if (callbacks) defer(callbacks.extend(partition, id, expires).catch(report));
}

/** Tells a caller to come back for the result. */
function unfinished(task: TaskView, mayFollow: boolean): CallResult {
  if (!mayFollow) return refused({ reason: "running", retryAfterMs: task.pollMs }, task.entry);
  return { outcome: { kind: "accepted", task }, durationMs: 0, entry: task.entry };
}

function refused(refusal: Refusal, entry: CatalogEntry): CallResult {
  return { outcome: { kind: "refused", refusal }, durationMs: 0, entry };
}

function failed(fault: Fault, entry: CatalogEntry): CallResult {
  return { outcome: { kind: "failed", fault }, durationMs: 0, entry };
}

function unavailable(error: unknown, entry: CatalogEntry, { callId }: Caller, runtime: Runtime): CallResult {
  runtime.log({ level: "error", message: "tasks unavailable", callId, error: describeError(error) });
  return refused({ reason: "unavailable", retryAfterMs: RETRY_MS }, entry);
}
