/** Both eras in a fork with views. */
import { methodsWithViews } from "../views/methods.ts";
import { extendLegacy, extendModern } from "./extend.ts";

/** Wraps the function that makes the era 2026-07-28. */
export const modernEraWithViews = extendModern(methodsWithViews);

/** Wraps the function that finds the dialect of a revision with a handshake. */
export const legacyDialectWithViews = extendLegacy(methodsWithViews);
