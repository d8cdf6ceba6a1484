/** Finds the D1 databases that have migrations: the files of a folder, in the order of their names. */
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import type { Unstable_Config as Config } from "wrangler";

export interface Database {
  readonly binding: string;
  /** The folder of its migrations, relative to the settings file. */
  readonly folder: string;
  /** The glob for its migrations, relative to the settings file. */
  readonly pattern: string;
  /** The table that says which migrations have been applied. */
  readonly table: string;
  /** The paths of its migrations, relative to the settings file. At least one. */
  readonly migrations: readonly string[];
}

/** @param project the folder of wrangler.toml */
export function databasesIn({ d1_databases }: Pick<Config, "d1_databases">, project: string): Database[] {
  return d1_databases.flatMap((database) => {
    const { binding, migrations_dir: folder = "migrations", migrations_table: table = "d1_migrations" } = database;
    const pattern = database.migrations_pattern ?? `${folder}/*.sql`;
    if (!existsSync(join(project, folder))) return [];
    const migrations = globSync(pattern, { cwd: project }).sort();
    return migrations.length > 0 ? [{ binding, folder, pattern, table, migrations }] : [];
  });
}
