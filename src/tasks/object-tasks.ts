/** Tasks on Durable Objects: each principal's ledger is an object of the class of CLAIMS. */
import type { TaskLedger } from "../core/ports/task-ledger.ts";
import type { Tasks } from "../core/ports/tasks.ts";
import { createTasks } from "../core/tasks/tasks.ts";
import type { RunParams } from "./engines.ts";

export type TasksWorkflow = Workflow<RunParams>;

/** An object that keeps a ledger (ledger-object.ts). */
export interface LedgerObject extends Rpc.DurableObjectBranded {
  readonly tasks: TaskLedger;
  /** Runs a task here. */
  runTask(id: string, partition: string): Promise<void>;
}

export type LedgerObjects = DurableObjectNamespace<LedgerObject>;

interface Limits {
  /** How long a call waits for its result. */
  readonly waitSeconds: number;
  /** How many unfinished tasks a principal may have. */
  readonly tasksPerPrincipal: number;
  /** How long a task is kept after its time limit. */
  readonly keepSeconds: number;
}

export function objectTasks(
  objects: LedgerObjects,
  workflow: TasksWorkflow | undefined,
  { waitSeconds, tasksPerPrincipal, keepSeconds }: Limits,
): Tasks {
  return createTasks({
    isDurable: workflow !== undefined,
    ledgerOf: (partition) => ledgerIn(objects, partition),
    waitMs: waitSeconds * 1_000,
    limit: tasksPerPrincipal,
    keepMs: keepSeconds * 1_000,
  });
}

/** Each method gets a new stub, because a stub that has failed may be permanently broken. */
export function ledgerIn(objects: LedgerObjects, partition: string): TaskLedger {
  const ledger = () => (objects.getByName(`tasks ${partition}`) as unknown as LedgerObject).tasks;
  return {
    find: (keys) => ledger().find(keys),
    start: (task) => ledger().start(task),
    read: (id, reading) => ledger().read(id, reading),
    answer: (id, answers) => ledger().answer(id, answers),
    cancel: (id) => ledger().cancel(id),
    deliver: (id) => ledger().deliver(id),
    watch: (id) => ledger().watch(id),
    begin: (id) => ledger().begin(id),
    beat: (id, run, report) => ledger().beat(id, run, report),
    ask: (id, run, name, question) => ledger().ask(id, run, name, question),
    checkpoint: (id, run) => ledger().checkpoint(id, run),
    enter: (id, run, step) => ledger().enter(id, run, step),
    finish: (id, run, result, isFinal) => ledger().finish(id, run, result, isFinal),
    fail: (id, run, failure) => ledger().fail(id, run, failure),
  };
}
