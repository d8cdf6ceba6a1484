import type { StoredTask } from "../../../core/ports/task-ledger.ts";
import type { Engine } from "../run/engine.ts";

export interface LedgerDependencies {
  readonly storage: DurableObjectStorage;
  readonly engine: Engine;
  /** How long a run may go on without a sign of life, in milliseconds. */
  readonly leaseMs: number;
  /** Tells whoever watches the task that it has changed. Never rejects. */
  readonly publish: (id: string) => Promise<void>;
  readonly report: (message: string, error: unknown) => void;
  /** Tells the outbox that a task has ended; undefined if the deployment has none. */
  readonly announce?: ((partition: string, task: StoredTask) => Promise<void>) | undefined;
}
