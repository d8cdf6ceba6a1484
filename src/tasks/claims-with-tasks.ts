/**
 * The Durable Object for claims of a deployment with long tools. For tasks it has objects of their own: one for each
 * principal is the ledger, and if there is no workflow to run tasks, each task has one that runs it.
 */
import { equip } from "#parts";
import { Claims } from "../claims.ts";
import { describeError } from "../core/lib/log.ts";
import { taskUri } from "../core/ports/tasks.ts";
import { runTask } from "../core/tasks/run-task.ts";
import { runtime } from "../runtime.ts";
import { removeAll } from "../stores/tables.ts";
import { beatMs, LONG, ledgers, taskSettings } from "./bindings.ts";
import { PLAIN_RUN, workflowEngine } from "./engines.ts";
import { type Engine, Ledger } from "./ledger.ts";
import { type LedgerObject, type LedgerObjects, ledgerIn } from "./object-tasks.ts";

/** The task that an object runs. */
interface OwnTask {
  readonly id: string;
  readonly partition: string;
}

const OWN_TASK = "task";

export class ClaimsWithTasks extends Claims implements LedgerObject {
  #ledger: Ledger | undefined;

  get tasks(): Ledger {
    this.#ledger ??= new Ledger({
      storage: this.ctx.storage,
      engine: LONG ? workflowEngine(LONG) : OBJECTS,
      leaseMs: taskSettings.leaseSeconds * 1_000,
      publish: (id) => runtime.changeFeed.publish({ of: "resource", uri: taskUri(id) }),
      report: (message, error) => runtime.log({ level: "warning", message, error: describeError(error) }),
    });
    return this.#ledger;
  }

  async runTask(id: string, partition: string): Promise<void> {
    this.ctx.storage.kv.put<OwnTask>(OWN_TASK, { id, partition });
    await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    const own = this.ctx.storage.kv.get<OwnTask>(OWN_TASK);
    if (own) await this.#runOwn(own);
    else if (this.tasks.exists) await this.tasks.alarm();
    else await super.alarm();
  }

  /** If this is cut short, the platform calls the alarm again, and the ledger decides whether the task may run again. */
  async #runOwn({ id, partition }: OwnTask): Promise<void> {
    const ledger = ledgerIn(ledgers as LedgerObjects, partition);
    await runTask({ id, partition, ledger, engine: PLAIN_RUN, runtime: equip(runtime), beatMs });
    await removeAll(this.ctx.storage);
  }
}

/** Runs each task in an object of its own. */
const OBJECTS: Engine = {
  start: runInObject,
  async revive(id, partition) {
    await runInObject(id, partition);
    return true;
  },
  // The run hears of it at its next sign of life.
  stop: async () => {},
  wake: async () => {},
};

async function runInObject(id: string, partition: string): Promise<void> {
  const object = (ledgers as LedgerObjects).getByName(`task ${id}`) as unknown as LedgerObject;
  await object.runTask(id, partition);
}
