/** Adds tasks to the Worker of a deployment that has long tools. Only code generated for such a fork imports it. */
import type { App, Parts } from "../app.ts";
import { logMistakes } from "../core/lib/log.ts";
import { LONG, ledgers, taskMistakes, taskSettings } from "./bindings.ts";
import { objectTasks } from "./object-tasks.ts";

/** @param create makes the Worker */
export function withTasks<Worker extends App>(create: (parts: Parts) => Worker): (parts: Parts) => Worker {
  return (parts) => {
    logMistakes(taskMistakes, parts.runtime.log);
    // Without CLAIMS there is no ledger, and calls of long tools end with their requests.
    if (ledgers === undefined) return create(parts);
    const tasks = objectTasks(ledgers, LONG, taskSettings);
    return create({ ...parts, runtime: { ...parts.runtime, tasks } });
  };
}
