/** Both eras in a fork with views. */
import { methodsWithViews } from "../views/methods.ts";
import { extendLegacy, extendModern } from "./extend.ts";
import type { legacyDialect } from "./legacy/dialect.ts";
import type { modernEra } from "./modern/era.ts";

/** Wraps the function that makes the era 2026-07-28. */
export function modernEraWithViews(inner: typeof modernEra): typeof modernEra {
  return extendModern(inner, methodsWithViews);
}

/** Wraps the function that finds the dialect of a revision with a handshake. */
export function legacyDialectWithViews(inner: typeof legacyDialect): typeof legacyDialect {
  return extendLegacy(inner, methodsWithViews);
}
