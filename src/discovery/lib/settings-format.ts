/** Writes parts of a settings file for messages, and finds the lines of settings, in TOML or in JSON with comments. */

/** A part of the settings, as wrangler has it after parsing. */
export type SettingsFragment = Readonly<Record<string, unknown>>;

/** @param file `wrangler.toml`, `wrangler.jsonc` or `wrangler.json` */
const isJson = (file: string) => /\.jsonc?$/.test(file);

/** The text of a settings file, and its name, which tells the format. */
export interface SettingsText {
  readonly name: string;
  readonly text: string;
}

/** Where settings of the top level are, in words. */
export function topOf(file: string): string {
  return isJson(file) ? "in the outermost object" : "above the first [table]";
}

/** A table in words: `[env.staging.vars]` or `"env.staging.vars"`. */
export function tableName(file: string, path: readonly string[]): string {
  return isJson(file) ? `"${path.join(".")}"` : `[${path.map(tomlKey).join(".")}]`;
}

/** `PUBLIC = "true"` or `"PUBLIC": "true"` */
export function assignment(file: string, name: string, value: unknown): string {
  return isJson(file) ? `"${name}": ${JSON.stringify(value)}` : `${tomlKey(name)} = ${JSON.stringify(value)}`;
}

/** A new element of a list, in words: `[[ratelimits]] with name = "RATE_60"`. */
export function element(file: string, path: readonly string[], members: SettingsFragment): string {
  const words = Object.entries(members).map(([name, value]) => assignment(file, name, value));
  const last = words.slice(-1).join();
  const all = words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${last}` : last;
  const list = tableName(file, path);
  return isJson(file) ? `an element of ${list} with ${all}` : `[${list}] with ${all}`;
}

/** A rule that files are text, in words. @param end of their names, such as `.md` */
export function textRule(file: string, end: string): string {
  return element(file, ["rules"], { type: "Text", globs: [`**/*${end}`], fallthrough: true });
}

/** Puts a fragment into an environment. Without a name it belongs to the top level and stays as it is. */
export function inEnvironment(env: string | undefined, part: SettingsFragment): SettingsFragment {
  return env === undefined ? part : { env: { [env]: part } };
}

/** The lines that add parts to a settings file. In JSON, they are members of the outermost object. */
export function linesOf(file: string, parts: readonly SettingsFragment[]): string {
  if (!isJson(file)) return parts.flatMap((part) => tomlLines(part, [])).join("\n");
  return [MERGE, ...jsonLines(parts.reduce(merged, {}))].join("\n");
}

const MERGE = "// If such a member exists already, add to it: of two with the same name, only the last counts.";

function merged(first: SettingsFragment, second: SettingsFragment): SettingsFragment {
  const members = Object.entries(second).map(([name, value]) => {
    const before = first[name];
    if (Array.isArray(before) && Array.isArray(value)) return [name, [...before, ...value]];
    return [name, isTable(before) && isTable(value) ? merged(before, value) : value];
  });
  return { ...first, ...Object.fromEntries(members) };
}

function jsonLines(part: SettingsFragment): string[] {
  return JSON.stringify(part, undefined, 2)
    .split("\n")
    .slice(1, -1)
    .map((line) => line.slice(2));
}

function tomlLines(part: SettingsFragment, path: readonly string[]): string[] {
  return Object.entries(part).flatMap(([key, value]) => {
    const inner = [...path, key];
    const heading = inner.map(tomlKey).join(".");
    if (Array.isArray(value) && value.every(isTable)) {
      return value.flatMap((one) => [`[[${heading}]]`, ...tomlLines(one, inner)]);
    }
    if (!isTable(value)) return [`${tomlKey(key)} = ${JSON.stringify(value)}`];
    const isOnlyPath = Object.values(value).every((one) => isTable(one) || (Array.isArray(one) && one.every(isTable)));
    return [...(isOnlyPath ? [] : [`[${heading}]`]), ...tomlLines(value, inner)];
  });
}

function isTable(value: unknown): value is SettingsFragment {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

/**
 * @param path such as `["env", "staging", "vars", "PUBLIC"]`, or `["rules", "0", "type"]` in the first entry of a list
 * @returns the line that sets it or begins its table, from 1; undefined if it is written in a way that needs a parser
 */
export function lineOfSetting(file: string, text: string, path: readonly string[]): number | undefined {
  return isJson(file) ? jsonLine(text, path) : tomlLine(text, path);
}

function jsonLine(text: string, path: readonly string[]): number | undefined {
  // For each object that is open, the name before the last colon; for each list, the number of its entry.
  const names: (string | number)[] = [];
  let last: RegExpExecArray | undefined;
  for (const token of text.matchAll(/\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|[{}[\]:,]/g)) {
    const [word] = token;
    if (word.startsWith("/")) continue;
    const top = names.at(-1);
    if (word === "{") names.push("");
    else if (word === "[") names.push(0);
    else if (word === "}" || word === "]") names.pop();
    else if (word === "," && typeof top === "number") names[names.length - 1] = top + 1;
    else if (word === ":" && last) {
      names[names.length - 1] = JSON.parse(last[0]);
      if (names.length === path.length && names.every((name, at) => String(name) === path[at])) {
        return text.slice(0, last.index).split("\n").length;
      }
    }
    last = token;
  }
  return undefined;
}

const KEY = String.raw`(?:"[^"]*"|'[^']*'|[\w-]+)`;
const KEYS = String.raw`${KEY}(?:\s*\.\s*${KEY})*`;
/** The heading of a table or of an entry of a list, or the name of a setting. */
const TOML_LINE = new RegExp(String.raw`^\s*(?:\[(\[?)\s*(${KEYS})\s*\]|(${KEYS})\s*=)`);

function tomlLine(text: string, path: readonly string[]): number | undefined {
  // The number of the last entry, for the path of each list.
  const entries = new Map<string, number>();
  let table: readonly string[] = [];
  const at = text.split("\n").findIndex((line) => {
    const [, list, heading, names] = TOML_LINE.exec(line) ?? [];
    if (heading !== undefined) table = tableOf(keysOf(heading), list === "[", entries);
    const whole = names === undefined ? table : [...table, ...keysOf(names)];
    return (heading ?? names) !== undefined && path.every((name, index) => whole[index] === name);
  });
  return at === -1 ? undefined : at + 1;
}

/** @returns the path of a heading, with the numbers of the entries that it is in */
function tableOf(keys: readonly string[], isEntry: boolean, entries: Map<string, number>): string[] {
  const path: string[] = [];
  for (const [index, key] of keys.entries()) {
    path.push(key);
    const list = path.join("\0");
    if (isEntry && index === keys.length - 1) entries.set(list, (entries.get(list) ?? -1) + 1);
    const entry = entries.get(list);
    if (entry !== undefined) path.push(String(entry));
  }
  return path;
}

function keysOf(text: string): string[] {
  return Array.from(text.matchAll(new RegExp(KEY, "g")), ([key]) => key.replace(/^(["'])(.*)\1$/, "$2"));
}

/** @returns the first line that has the value in quotes */
export function lineOfValue(value: string, text: string): number | undefined {
  const at = text.split("\n").findIndex((line) => line.includes(`"${value}"`) || line.includes(`'${value}'`));
  return at === -1 ? undefined : at + 1;
}
