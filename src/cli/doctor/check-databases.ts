/** Checks which migrations of D1 databases the account's databases do not have yet. */
import { dirname, relative } from "node:path";
import { type Database, databasesIn } from "../../discovery/settings/databases.ts";
import { type Config, configArguments, whereOptions } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import type { Place } from "../lib/kv.ts";
import { Mistake } from "../lib/mistake.ts";
import { wrangler } from "../lib/wrangler.ts";
import { type Finding, warning } from "./finding.ts";

/** @throws {Mistake} if a database cannot be read */
export async function checkDatabases(config: Config, place: Place, io: Io): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const database of databasesIn(config, dirname(place.config))) {
    const { binding, folder, migrations } = database;
    const applied = await appliedTo(database, place, io);
    const [first, ...others] = migrations.filter((path) => !applied?.includes(relative(folder, path)));
    if (first === undefined) continue;
    const which =
      others.length === 0
        ? "this migration is not applied"
        : `${others.length + 1} migrations, beginning with this one, are not applied`;
    const apply = `npx wrangler d1 migrations apply ${binding} --remote${whereOptions(place, io)}`;
    const [problem, fix] =
      applied === undefined
        ? [`${which} to ${binding}: the account has no such database yet`, `npm run deploy, then ${apply}`]
        : [`${which} to ${binding} on the account: tools may lack tables`, apply];
    findings.push(warning({ file: first, problem, fix }));
  }
  return findings;
}

/**
 * Reads which migrations were applied. Unlike `wrangler d1 migrations list`, it does not create the table of them.
 *
 * @returns names relative to the folder; undefined if there is no such database
 */
async function appliedTo({ binding, table }: Database, place: Place, io: Io): Promise<string[] | undefined> {
  const sql = `SELECT name FROM "${table.replaceAll('"', '""')}"`;
  const args = ["d1", "execute", binding, "--remote", "--json", `--command=${sql}`, ...configArguments(place)];
  try {
    const printed = await wrangler(io, dirname(place.config), args);
    const answers: { results: { name: string }[] }[] = JSON.parse(printed.slice(printed.indexOf("[")));
    return answers.flatMap(({ results }) => results.map(({ name }) => name));
  } catch (reason) {
    if (!(reason instanceof Mistake)) throw reason;
    if (/no such table/.test(reason.message)) return [];
    if (/Couldn't find/.test(reason.message)) return undefined;
    throw reason;
  }
}
