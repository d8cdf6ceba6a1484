/** Both eras in a fork with skills. */

import { extendLegacy, extendModern } from "../../protocols/mcp/extend.ts";
import { methodsWithSkills } from "./methods.ts";

/** Wraps the function that makes the era 2026-07-28. */
export const modernEraWithSkills = extendModern(methodsWithSkills);

/** Wraps the function that finds the dialect of a revision with a handshake. */
export const legacyDialectWithSkills = extendLegacy(methodsWithSkills);
