/** Gives a runtime what the features of a fork add to it, for code that runs outside of requests. */
import type { Runtime } from "../ports/runtime.ts";

/** The plain form, of a fork without such a feature. */
export function equip(runtime: Runtime): Runtime {
  return runtime;
}
