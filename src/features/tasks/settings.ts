/**
 * Reads the settings of long tools, as src/settings.ts reads the others. Forks without long tools do not read these.
 */
import { settingsReader } from "../../settings-reader.ts";

/** @param env variables and secrets by name; "" counts as unset */
export function readTaskSettings(env: Readonly<Record<string, unknown>>) {
  const { number, read } = settingsReader(env);
  return read({
    /** How long a call waits for the result of its task. Many clients give up after 60 seconds. */
    waitSeconds: number("LONG_WAIT_SECONDS", 45, "seconds", 3_600, 0),
    /** How long a run may go on without a sign of life before it counts as dead. */
    leaseSeconds: number("TASK_LEASE_SECONDS", 90, "seconds", 3_600),
    /** How many unfinished tasks a principal may have. */
    tasksPerPrincipal: number("TASKS_PER_PRINCIPAL", 100, "tasks", 100_000),
  });
}
