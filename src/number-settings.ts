/** Reads settings that are whole numbers, for the features that a fork may do without. */
import type { SettingsRead } from "./settings.ts";

export interface NumberSettings extends Omit<SettingsRead, "settings"> {
  /** Reads one. A mistake is noted, and then the default counts. */
  number(setting: string, byDefault: number, unit: string, max: number, min?: number): number;
}

/** @param env variables and secrets by name; "" counts as unset */
export function numberSettings(env: Readonly<Record<string, unknown>>): NumberSettings {
  const mistakes: SettingsRead["mistakes"][number][] = [];
  const names: string[] = [];
  return {
    mistakes,
    names,
    number(setting, byDefault, unit, max, min = 1) {
      names.push(setting);
      const value = Object.hasOwn(env, setting) ? env[setting] : undefined;
      const text = typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
      if (text === "") return byDefault;
      if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
      const fix = `write ${unit} as a whole number from ${min} to ${max}, in digits only, or ""`;
      mistakes.push({ setting, problem: `${setting} is ${JSON.stringify(value)}`, fix });
      return byDefault;
    },
  };
}
