/** Reads settings from environment strings. For an invalid value, notes a mistake and uses the default. */

export interface InvalidSetting {
  readonly setting: string;
  readonly problem: string;
  readonly fix: string;
}

export interface SettingsRead<Settings> {
  readonly settings: Settings;
  readonly mistakes: readonly InvalidSetting[];
  /** Names of all variables and secrets that were read as settings. */
  readonly names: readonly string[];
}

/** @param env variables and secrets by name; "" counts as unset */
export function settingsReader(env: Readonly<Record<string, unknown>>) {
  const mistakes: InvalidSetting[] = [];
  const names = new Set<string>();
  const ownValue = (setting: string) => (Object.hasOwn(env, setting) ? env[setting] : undefined);
  const text = (setting: string): string | undefined => {
    names.add(setting);
    const value = ownValue(setting);
    // An object is a table or an array of wrangler.toml. `read` reports each at the end, once.
    return value === undefined || value === "" || typeof value === "object" ? undefined : String(value);
  };
  const reject = (setting: string, fix: string) =>
    mistakes.push({ setting, problem: `${setting} is ${JSON.stringify(ownValue(setting))}`, fix });
  const list = (setting: string) => (text(setting) ?? "").split(/[\s,]+/).filter((item) => item !== "");
  const listOf = (setting: string, isValid: (item: string) => boolean, fix: string): string[] => {
    const items = list(setting);
    if (!items.every(isValid)) reject(setting, fix);
    return items;
  };
  const urls = (setting: string, protocols: readonly string[], fix: string): string[] => {
    // Not split at commas, because data URLs contain them.
    const all = (text(setting) ?? "").split(/\s+/).filter((item) => item !== "");
    if (!all.every((url) => URL.canParse(url) && protocols.includes(new URL(url).protocol))) reject(setting, fix);
    return all;
  };
  return {
    text,
    list,
    urls,
    number<Default>(setting: string, byDefault: Default, unit: string, max: number, min = 1) {
      const given = text(setting);
      if (given === undefined) return byDefault;
      if (/^\d+$/.test(given) && Number(given) >= min && Number(given) <= max) return Number(given);
      reject(setting, `write ${unit} as a whole number from ${min} to ${max}, in digits only, or ""`);
      return byDefault;
    },
    /** Reads a switch: "true" or "false". */
    isOn(setting: string, byDefault = false): boolean {
      const given = text(setting) ?? String(byDefault);
      if (given !== "true" && given !== "false") reject(setting, 'write "true" or "false"');
      return given === "true";
    },
    matching(setting: string, valid: RegExp, fix: string): string | undefined {
      const given = text(setting);
      if (given !== undefined && !valid.test(given)) reject(setting, fix);
      return given;
    },
    // Browsers send origins in lower case and without a path: anything else would never match.
    origins: (setting: string) =>
      listOf(
        setting,
        (item) => item === "null" || /^[a-z][a-z0-9+.-]*:\/\/[^/?#@*A-Z]+$/.test(item),
        'write origins in lower case, without a path or a slash at the end: "https://app.example.com"',
      ),
    // A tool's request is compared with its host and port: an address with a scheme or a path would never match.
    hosts: (setting: string) =>
      listOf(
        setting,
        (item) => /^[^/?#@*A-Z]+$/.test(item),
        'write whole hosts in lower case, without https:// and without a path: "intranet.example:8443 10.0.0.5"',
      ),
    oneUrl(setting: string, protocols: readonly string[], fix: string): string | undefined {
      const [url, ...others] = urls(setting, protocols, fix);
      if (others.length > 0) reject(setting, fix);
      return url;
    },
    /** Call it last. @param settings made with the other methods */
    read<Settings>(settings: Settings): SettingsRead<Settings> {
      for (const setting of names) {
        const value = ownValue(setting);
        if (typeof value !== "object") continue;
        mistakes.push({ setting, problem: `${setting} is ${JSON.stringify(value)}`, fix: "write a text in quotes" });
      }
      return { settings, mistakes, names: [...names] };
    },
  };
}
