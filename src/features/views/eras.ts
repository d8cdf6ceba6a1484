/** Both eras in a fork with views. */

import { extendLegacy, extendModern } from "../../protocols/mcp/extend.ts";
import { methodsWithViews } from "./methods.ts";

/** Wraps the function that makes the era 2026-07-28. */
export const modernEraWithViews = extendModern(methodsWithViews);

/** Wraps the function that finds the dialect of a revision with a handshake. */
export const legacyDialectWithViews = extendLegacy(methodsWithViews);
