import { resolve } from "node:path";

/** The folder of this fork. */
export const ROOT = resolve(import.meta.dirname, "../../..");
