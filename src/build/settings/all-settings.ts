/** Reads every setting that a Worker may have: those of all, and those of long tools. */
import { readSettings, type SettingsRead } from "../../settings.ts";
import { readTaskSettings } from "../../tasks/settings.ts";

/** @param vars variables by name; "" counts as unset */
export function readAllSettings(vars: Readonly<Record<string, unknown>>): Omit<SettingsRead, "settings"> {
  const all = readSettings(vars);
  const ofTasks = readTaskSettings(vars);
  return { mistakes: [...all.mistakes, ...ofTasks.mistakes], names: [...all.names, ...ofTasks.names] };
}
