/** What messages need of the format of a settings file: TOML, or JSON with comments. */

/** A part of the settings, as wrangler has it after parsing. */
export type SettingsFragment = Readonly<Record<string, unknown>>;

/** @param file `wrangler.toml`, `wrangler.jsonc` or `wrangler.json` */
const isJson = (file: string) => /\.jsonc?$/.test(file);

/** The text of a settings file, and the name that says its format. */
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

/** A fragment inside an environment; without a name, as it is. */
export function inEnvironment(env: string | undefined, part: SettingsFragment): SettingsFragment {
  return env === undefined ? part : { env: { [env]: part } };
}

/** The lines that add parts to a settings file. In JSON, they are members of the outermost object. */
export function linesOf(file: string, parts: readonly SettingsFragment[]): string {
  return parts.flatMap((part) => (isJson(file) ? jsonLines(part) : tomlLines(part, []))).join("\n");
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
 * @param path such as `["env", "staging", "vars", "PUBLIC"]`
 * @returns the line that sets it, from 1; undefined if it is written in a way that needs a parser, or in a list
 */
export function lineOfSetting(file: string, text: string, path: readonly string[]): number | undefined {
  return isJson(file) ? jsonLine(text, path) : tomlLine(text, path);
}

function jsonLine(text: string, path: readonly string[]): number | undefined {
  // The name before each colon, for each object and list that is open.
  const names: string[] = [];
  let last: RegExpExecArray | undefined;
  for (const token of text.matchAll(/\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    const [word] = token;
    if (word.startsWith("/")) continue;
    if (word === "{" || word === "[") names.push("");
    else if (word === "}" || word === "]") names.pop();
    else if (word === ":" && last) {
      names[names.length - 1] = JSON.parse(last[0]);
      if (names.length === path.length && names.every((name, at) => name === path[at])) {
        return text.slice(0, last.index).split("\n").length;
      }
    }
    last = token;
  }
  return undefined;
}

function tomlLine(text: string, path: readonly string[]): number | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  // In its table, or with more and more of the table's name before its own: dev.host = "a".
  for (let at = path.length - 1; at >= 0; at--) {
    const heading = `[${path.slice(0, at).join(".")}]`;
    const start =
      at === 0 ? 0 : lines.findIndex((line) => line.replace(/\s*#.*$/, "").replaceAll(/["']/g, "") === heading) + 1;
    if (at > 0 && start === 0) continue;
    const length = lines.slice(start).findIndex((line) => line.startsWith("["));
    const table = lines.slice(start, length < 0 ? undefined : start + length);
    const name = path.slice(at).join(".");
    const found = table.findIndex(
      (line) => /^((?:"[^"]*"|[^"\s=])+)\s*=/.exec(line)?.[1]?.replaceAll('"', "") === name,
    );
    if (found !== -1) return start + found + 1;
  }
  return undefined;
}

/** @returns the first line that has the value in quotes */
export function lineOfValue(value: string, text: string): number | undefined {
  const at = text.split("\n").findIndex((line) => line.includes(`"${value}"`) || line.includes(`'${value}'`));
  return at === -1 ? undefined : at + 1;
}
