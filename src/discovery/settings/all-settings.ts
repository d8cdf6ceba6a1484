/** Reads every setting that a Worker may have: the general ones, and those of its features. */
import { MANIFESTS } from "../../features/manifests.ts";
import { readSettings } from "../../settings.ts";
import type { SettingsRead } from "../../settings-reader.ts";

/** @param vars variables by name; "" counts as unset */
export function readAllSettings(vars: Readonly<Record<string, unknown>>): Omit<SettingsRead<unknown>, "settings"> {
  const read = [readSettings(vars), ...MANIFESTS.flatMap(({ readSettings }) => readSettings?.(vars) ?? [])];
  return { mistakes: read.flatMap(({ mistakes }) => mistakes), names: read.flatMap(({ names }) => names) };
}
