/**
 * Takes the place of `#catalog` in tests: the generated catalogue, whose Worker also shows its runtime. So `#test` runs
 * tools with what the deployed Worker runs them with, and nothing of it is in a deployment.
 */
import catalog, { createWorker as create } from "../generated/catalog.ts";

export default catalog;

/** Makes the Worker as in a deployment. */
export const createWorker: typeof create = (parts) => Object.assign(create(parts), { runtime: parts.runtime });
