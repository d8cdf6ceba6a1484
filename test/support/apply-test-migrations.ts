/** Makes the tables of the fork's D1 databases before the tests of its tools, in every file: what is there stays. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject } from "vitest";
import type {} from "./provided-context.ts";

for (const { binding, folder, table, files } of inject("migrations")) {
  const database = (env as unknown as Readonly<Record<string, D1Database>>)[binding];
  if (database === undefined) throw new Error(`the settings file has no database ${binding}`);
  for (const file of files) {
    await applyD1Migrations(database, [file], table).catch((cause: Error) => {
      throw new Error(`${folder}/${file.name}: ${cause.message}`, { cause });
    });
  }
}
