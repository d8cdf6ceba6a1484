/** The listings of the catalogue without app-only tools count among the cached ones of their view. */
import { expect, it } from "vitest";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import { feature } from "../../../src/features/app-tools/index.ts";

it("a view is dropped with its listings, also if these are of the catalogue without app-only tools", () => {
  const catalog = createCatalog({ revision: "r", entries: [], prompts: [], resources: [] });
  const seenBy = (at: number) => catalog.visibleTo({ id: "a", scopes: "all", reach: "all", toolkits: [`kit${at}`] });
  const first = seenBy(1);
  for (const at of [1, 2]) {
    const narrowed = feature.forModels?.({ catalog: seenBy(at) } as never);
    narrowed?.catalog.listing("tools", undefined, () => "x".repeat(9_000_000));
    expect(seenBy(1) === first).toBe(at === 1);
  }
});
