/** Tells the outbox of a principal that one of its tasks has ended. */

import { finishedTaskEvent } from "../../../core/ports/outbox.ts";
import type { Runtime } from "../../../core/ports/runtime.ts";
import type { KeptResult, TaskHead } from "../task-call.ts";
import { taskSeal } from "../task-seal.ts";
import { endOf } from "../task-view.ts";
import type { LedgerDependencies } from "./ledger-dependencies.ts";

/** @returns undefined if the deployment has no outbox */
export function announceIn({ outbox, signer, log }: Runtime): LedgerDependencies["announce"] {
  if (outbox === undefined) return undefined;
  return async (partition, task) => {
    const { id, status } = task;
    const seal = await taskSeal(signer, partition, id);
    const head = await seal.open<TaskHead>("head", task.head).catch(() => undefined);
    if (head?.isUnidentified) return;
    const opening = task.result === undefined ? undefined : seal.open<KeptResult>("result", task.result);
    const kept = await opening?.catch(() => undefined);
    if (head === undefined || (opening && kept === undefined)) {
      // Trying again would not help.
      return log({ level: "error", message: "end of task not announced: the signing key was replaced" });
    }
    await outbox.emit(
      partition,
      finishedTaskEvent(id, head.toolId, status),
      task.isHeldBack ? "too_large" : endOf(task, kept),
    );
  };
}
