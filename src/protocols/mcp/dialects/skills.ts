/** Both eras in a fork with skills. */
import { methodsWithSkills } from "../skills/methods.ts";
import { extendLegacy, extendModern } from "./extend.ts";
import type { legacyDialect } from "./legacy/dialect.ts";
import type { modernEra } from "./modern/era.ts";

/** Wraps the function that makes the era 2026-07-28. */
export function modernEraWithSkills(inner: typeof modernEra): typeof modernEra {
  return extendModern(inner, methodsWithSkills);
}

/** Wraps the function that finds the dialect of a revision with a handshake. */
export function legacyDialectWithSkills(inner: typeof legacyDialect): typeof legacyDialect {
  return extendLegacy(inner, methodsWithSkills);
}
