/** What the tests of tools are told of the migrations of D1 databases (vitest.config.ts, apply-test-migrations.ts). */
import type {} from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    readonly migrations: readonly {
      readonly binding: string;
      readonly folder: string;
      readonly table: string;
      readonly files: readonly { readonly name: string; readonly queries: string[] }[];
    }[];
  }
}
