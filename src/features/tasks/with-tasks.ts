/** Adds tasks to the Worker of a deployment that has long tools. Only code generated for such a fork imports it. */
import type { App, Parts } from "../../app.ts";
import { logMistakes } from "../../core/lib/log.ts";
import { LONG, ledgers, taskMistakes, taskSettings } from "./bindings.ts";
import { ledgerIn } from "./ledger/object-ledger.ts";
import { createTasks } from "./tasks.ts";

/** @param create makes the Worker */
export function withTasks<Worker extends App>(create: (parts: Parts) => Worker): (parts: Parts) => Worker {
  return (parts) => {
    logMistakes(taskMistakes, parts.runtime.log);
    // Discovery asks for both if a tool is long. In a copy that lacks one, calls of long tools end with their requests.
    if (ledgers === undefined || LONG === undefined) return create(parts);
    const objects = ledgers;
    const { waitSeconds, tasksPerPrincipal, keepSeconds } = taskSettings;
    const tasks = createTasks({
      ledgerOf: (partition) => ledgerIn(objects, partition),
      waitMs: waitSeconds * 1_000,
      limit: tasksPerPrincipal,
      keepMs: keepSeconds * 1_000,
    });
    return create({ ...parts, runtime: { ...parts.runtime, tasks } });
  };
}
