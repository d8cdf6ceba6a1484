/** Reads every setting that a Worker may have: those of all, and those of its features. */
import { readFileSettings } from "../../features/files/settings.ts";
import { readOutboxSettings } from "../../features/outbox/settings.ts";
import { readTaskSettings } from "../../features/tasks/settings.ts";
import { readSettings, type SettingsRead } from "../../settings.ts";

/** @param vars variables by name; "" counts as unset */
export function readAllSettings(vars: Readonly<Record<string, unknown>>): Omit<SettingsRead, "settings"> {
  const read = [readSettings(vars), readTaskSettings(vars), readFileSettings(vars), readOutboxSettings(vars)];
  return { mistakes: read.flatMap(({ mistakes }) => mistakes), names: read.flatMap(({ names }) => names) };
}
