/** The workflow that runs long tools: an instance for each task. Only forks with long tools export it. */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { run, runtime } from "../../runtime.ts";
import { beatMs, ledgers } from "./bindings.ts";
import { type LedgerObjects, ledgerIn } from "./ledger/object-ledger.ts";
import { LONGEST, type RunParams, workflowRun } from "./run/engine.ts";
import { runTask } from "./run/run-task.ts";

/** If the ledger cannot be reached, or the Worker dies, the task is run again. The ledger decides whether it may. */
const AGAIN = { retries: { limit: 10, delay: "2 seconds", backoff: "exponential" }, timeout: LONGEST } as const;

export class LongRun extends WorkflowEntrypoint<unknown, RunParams> {
  override async run({ instanceId: id, payload }: WorkflowEvent<RunParams>, step: WorkflowStep): Promise<void> {
    const { partition } = payload;
    const ledger = ledgerIn(ledgers as LedgerObjects, partition);
    const engine = workflowRun(step);
    // A step around the whole tool, so that nothing of it is done again once it has ended. Its own steps lie within.
    await step.do("tool", AGAIN, () => runTask({ id, partition, ledger, engine, run, runtime, beatMs }));
  }
}
