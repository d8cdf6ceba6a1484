/**
 * The class of the Durable Objects CLAIMS in a deployment with long tools. Tasks are in objects of their own: the
 * ledgers, one for each principal.
 */
import { Claims } from "../../claims-on-kv.ts";
import { describeError } from "../../core/lib/log.ts";
import { runtime } from "../../runtime.ts";
import { LONG, taskSettings } from "./bindings.ts";
import { announceIn } from "./ledger/announce.ts";
import { Ledger } from "./ledger/ledger.ts";
import type { LedgerObject } from "./ledger/object-ledger.ts";
import { type RunParams, workflowEngine } from "./run/engine.ts";

export class ClaimsWithTasks extends Claims implements LedgerObject {
  #ledger: Ledger | undefined;

  get tasks(): Ledger {
    this.#ledger ??= new Ledger({
      storage: this.ctx.storage,
      engine: workflowEngine(LONG as Workflow<RunParams>),
      leaseMs: taskSettings.leaseSeconds * 1_000,
      publish: (id) => runtime.changeFeed.publish({ of: "task", id }),
      announce: announceIn(runtime),
      report: (message, error) => runtime.log({ level: "warning", message, error: describeError(error) }),
    });
    return this.#ledger;
  }

  override async alarm(): Promise<void> {
    if (this.tasks.exists) await this.tasks.alarm();
    else await super.alarm();
  }
}
