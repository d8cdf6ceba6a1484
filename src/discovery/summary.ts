/** Says what discovery found: a headline, and one line for each toolkit. */
import { someOf } from "./lib/some-of.ts";
import type { Discovery } from "./read/discovery.ts";
import type { Database } from "./settings/databases.ts";
import { valuesOf } from "./settings/secrets.ts";

/** The toolkits that fit on a screen, and the names that fit in a line. Further ones are only counted. */
const MAX_LINES = 30;
const MAX_NAMES = 8;

/** `discovered 2 tools, 1 prompt and a worker.ts` */
export function headline({ tools, prompts, resources, events, views, skills, worker }: Discovery): string {
  const ids = new Set(tools.map(({ id }) => id)).size;
  const parts = [
    ids === tools.length ? count(ids, "tool") : `${count(ids, "tool")} in ${tools.length} versions`,
    ...(prompts.length > 0 ? [count(prompts.length, "prompt")] : []),
    ...(resources.length > 0 ? [count(resources.length, "resource")] : []),
    ...(events.length > 0 ? [count(events.length, "event")] : []),
    ...(views.length > 0 ? [count(views.length, "view")] : []),
    ...(skills.length > 0 ? [count(skills.length, "skill")] : []),
    ...(worker === undefined ? [] : ["a worker.ts"]),
  ];
  const last = parts.pop();
  return `discovered ${parts.length > 0 ? `${parts.join(", ")} and ${last}` : last}`;
}

/** The headline, and what is in each toolkit: `  system  System.GetTimestamp 2.0.0, 1.0.0`. */
export function summary(discovery: Discovery): string {
  const { tools, prompts, resources, events, skills } = discovery;
  const byToolkit = new Map<string, string[]>();
  const add = (toolkit: string, text: string) => byToolkit.set(toolkit, [...(byToolkit.get(toolkit) ?? []), text]);
  const versions = Map.groupBy(tools, ({ id }) => id);
  for (const [id, [tool, ...older]] of versions) {
    // Sorted by version: the newest is the last.
    const all = [tool, ...older].map((one) => one?.version).reverse();
    if (tool) add(tool.toolkit, older.length === 0 ? id : `${id} ${all.join(", ")}`);
  }
  for (const { toolkit, name } of prompts) add(toolkit, `${name} (prompt)`);
  for (const { toolkit, uri } of resources) add(toolkit, `${uri} (resource)`);
  for (const { toolkit, name } of events) add(toolkit, `${name} (event)`);
  for (const { toolkit, name } of skills) add(toolkit, `${name} (skill)`);
  const width = Math.max(0, ...Array.from(byToolkit.keys(), ({ length }) => length));
  const lines = Array.from(
    byToolkit,
    ([toolkit, texts]) => `  ${toolkit.padEnd(width)}  ${someOf(texts, MAX_NAMES)}`,
  ).sort();
  const more = lines.length > MAX_LINES ? [`  and ${lines.length - MAX_LINES} more toolkits`] : [];
  return [headline(discovery), ...lines.slice(0, MAX_LINES), ...more].join("\n");
}

/**
 * The commands that give the account what a deployment does not: secrets, and tables of databases.
 *
 * @param set names of variables, which need no secret
 * @returns undefined if there are none
 */
export function accountCommands(found: Discovery, databases: readonly Database[], set: readonly string[]) {
  const primitives = [...found.tools, ...found.prompts, ...found.resources];
  const values = primitives.flatMap(({ options }) => valuesOf(options.requirements).map(({ name }) => name));
  const lines = [
    ...[...new Set(values)].filter((name) => !set.includes(name)).map((name) => `npx wrangler secret put ${name}`),
    ...databases.map(({ binding, migrations }) => {
      return `npx wrangler d1 migrations apply ${binding} --remote  (${count(migrations.length, "migration")})`;
    }),
  ];
  if (lines.length === 0) return undefined;
  return ["The account must have these as well (npm run doctor says which it lacks):", ...lines].join("\n  ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
