/**
 * Takes the place of `#catalog` in tests: the generated catalogue, whose Worker also shows its runtime. So `#test` runs
 * tools with what the deployed Worker runs them with, and nothing of it is in a deployment.
 */
import type { Parts } from "../app.ts";
import catalog, { createWorker as create } from "../generated/catalog.ts";

export default catalog;

/** Makes the Worker as in a deployment. The type is written, because `npm start` generates a catalogue without types. */
export const createWorker: typeof create = (parts: Parts) => Object.assign(create(parts), { runtime: parts.runtime });
