/** Reads settings that are whole numbers or switches, for the features that a fork may do without. */
import type { SettingsRead } from "./settings.ts";

export interface FeatureSettings extends Omit<SettingsRead, "settings"> {
  /** Reads one. A mistake is noted, and then the default counts. */
  number(setting: string, byDefault: number, unit: string, max: number, min?: number): number;
  /** Reads a switch, which is off by default. */
  isOn(setting: string): boolean;
}

/** @param env variables and secrets by name; "" counts as unset */
export function featureSettings(env: Readonly<Record<string, unknown>>): FeatureSettings {
  const mistakes: SettingsRead["mistakes"][number][] = [];
  const names: string[] = [];
  const textOf = (setting: string): string => {
    names.push(setting);
    const value = Object.hasOwn(env, setting) ? env[setting] : undefined;
    return typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
  };
  const reject = (setting: string, fix: string) => {
    mistakes.push({ setting, problem: `${setting} is ${JSON.stringify(env[setting])}`, fix });
  };
  return {
    mistakes,
    names,
    number(setting, byDefault, unit, max, min = 1) {
      const text = textOf(setting);
      if (text === "") return byDefault;
      if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
      reject(setting, `write ${unit} as a whole number from ${min} to ${max}, in digits only, or ""`);
      return byDefault;
    },
    isOn(setting) {
      const text = textOf(setting);
      if (text !== "" && text !== "true" && text !== "false") reject(setting, 'write "true" or "false"');
      return text === "true";
    },
  };
}
