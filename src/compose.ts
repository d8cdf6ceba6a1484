/** Lets a deployment's features wrap functions of the Worker, once, at its start. The first feature is outermost. */
import { type Execute, executeWith, plainSteps } from "./core/call/execute.ts";
import { type RunTool, run } from "./core/call/run-tool.ts";
import { wrapped } from "./core/lib/wrapped.ts";
import type { Runtime } from "./core/ports/runtime.ts";
import type { Home } from "./deployment.ts";
import type { Feature } from "./features/feature.ts";
import { home } from "./home.ts";

/** The functions that features may wrap. */
export interface Composed {
  readonly execute: Execute;
  readonly home: Home;
  /** Returns the runtime of requests that may come from a model: all those that are not known to be an app's. */
  readonly forModels: (runtime: Runtime) => Runtime;
}

export function composed(features: readonly Feature[]): Composed {
  const run = composedRun(features);
  const steps = wrapped(plainSteps(run), features, ({ steps }) => steps && ((next) => steps(next, run)));
  return {
    execute: wrapped(executeWith(steps), features, ({ aroundCall }) => aroundCall),
    home: wrapped(home, features, (feature) => feature.home),
    forModels: (runtime) => wrapped(runtime, features, ({ forModels }) => forModels),
  };
}

/** @returns a function that runs a tool whose call has been authorized and parsed */
export function composedRun(features: readonly Feature[]): RunTool {
  return wrapped(run, features, ({ aroundRun }) => aroundRun);
}
