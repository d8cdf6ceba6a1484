/** Both eras in a fork with skills. */
import { methodsWithSkills } from "../skills/methods.ts";
import { extendLegacy, extendModern } from "./extend.ts";

/** Wraps the function that makes the era 2026-07-28. */
export const modernEraWithSkills = extendModern(methodsWithSkills);

/** Wraps the function that finds the dialect of a revision with a handshake. */
export const legacyDialectWithSkills = extendLegacy(methodsWithSkills);
