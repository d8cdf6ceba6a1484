/** Reaches the ledgers of tasks: each principal's is a Durable Object of the class of CLAIMS. */
import type { TaskLedger } from "../core/ports/task-ledger.ts";
import { askTwice } from "../stores/ask-twice.ts";

/** An object that keeps a ledger (claims-with-tasks.ts). */
export interface LedgerObject extends Rpc.DurableObjectBranded {
  readonly tasks: TaskLedger;
}

export type LedgerObjects = DurableObjectNamespace<LedgerObject>;

type Methods = Record<string, (...given: unknown[]) => Promise<unknown>>;

/** A ledger of which each method asks the object, twice if it does not answer. */
export function ledgerIn(objects: LedgerObjects, partition: string): TaskLedger {
  const stub = () => (objects.getByName(`tasks ${partition}`) as unknown as { readonly tasks: Methods }).tasks;
  const methodOf = (_: Methods, name: string): Methods[string] => {
    return (...given) => askTwice(stub, (ledger) => (ledger[name] as Methods[string])(...given));
  };
  return new Proxy<Methods>({}, { get: methodOf }) as unknown as TaskLedger;
}
