/** Reaches the ledgers of tasks: each principal's is a Durable Object of the class of CLAIMS. */
import type { TaskLedger } from "../../../core/ports/task-ledger.ts";
import { retryStub } from "../../../stores/retry-stub.ts";

/** An object that keeps a ledger (claims-with-tasks.ts). */
export interface LedgerObject extends Rpc.DurableObjectBranded {
  readonly tasks: TaskLedger;
}

export type LedgerObjects = DurableObjectNamespace<LedgerObject>;

/** The ledger of a partition. Each method asks its object, twice if it does not answer. */
export function ledgerIn(objects: LedgerObjects, partition: string): TaskLedger {
  const stub = () => (objects.getByName(`tasks ${partition}`) as unknown as LedgerObject).tasks;
  const ask = <Answer>(work: (ledger: TaskLedger) => Promise<Answer>) => retryStub(stub, work);
  return {
    find: (keys) => ask((ledger) => ledger.find(keys)),
    start: (task) => ask((ledger) => ledger.start(task)),
    read: (...given) => ask((ledger) => ledger.read(...given)),
    answer: (...given) => ask((ledger) => ledger.answer(...given)),
    cancel: (id) => ask((ledger) => ledger.cancel(id)),
    deliver: (id) => ask((ledger) => ledger.deliver(id)),
    watch: (id) => ask((ledger) => ledger.watch(id)),
    begin: (id, attempt) => ask((ledger) => ledger.begin(id, attempt)),
    beat: (id, run, report) => ask((ledger) => ledger.beat(id, run, report)),
    ask: (id, run, name, question) => ask((ledger) => ledger.ask(id, run, name, question)),
    take: (id, run, name) => ask((ledger) => ledger.take(id, run, name)),
    checkpoint: (id, run) => ask((ledger) => ledger.checkpoint(id, run)),
    enter: (id, run, step) => ask((ledger) => ledger.enter(id, run, step)),
    finish: (...given) => ask((ledger) => ledger.finish(...given)),
    fail: (id, run, failure) => ask((ledger) => ledger.fail(id, run, failure)),
  };
}
