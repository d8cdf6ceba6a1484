/** The context of a long tool: that of any tool, with checkpoints, and with what its `prepare` returned. */
import { toJson } from "../lib/json.ts";
import type { Call } from "../model/call.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { LongContext, StepOptions, ToolDefinition } from "../model/definition.ts";
import type { Granted } from "../model/granted.ts";
import type { Runtime } from "../ports/runtime.ts";
import { RunContext } from "./context.ts";
import type { ToolRun } from "./run-tool.ts";

/** Does a step and keeps its result, which is JSON, for the run after a crash. */
export type DoStep = (name: string, work: () => Promise<unknown>, options: StepOptions) => Promise<unknown>;

/** Workflows keep 1 MiB of a step, and sealing makes a result a third longer. It counts in tests, too. */
const MAX_STEP_BYTES = 750_000;

/** The context of a run that is not a task: in a test, and where there is no ledger. */
export class LongRunContext extends RunContext implements LongContext<unknown> {
  prepared: unknown;

  step<Value>(name: string, work: () => Value | Promise<Value>, options: StepOptions = {}): Promise<Value> {
    const doWork = async () => {
      const value = await work();
      if (value === undefined) return undefined;
      const json = toJson(value, `The result of the step "${name}"`);
      const bytes = new TextEncoder().encode(JSON.stringify(json)).length;
      if (bytes <= MAX_STEP_BYTES) return json;
      const limit = `The result of the step "${name}" has ${bytes} bytes of JSON, and a step keeps ${MAX_STEP_BYTES}`;
      throw new Error(`${limit}: store it elsewhere, and return where it is`);
    };
    return this.doStep(name, doWork, options) as Promise<Value>;
  }

  protected doStep: DoStep = (_, work) => work();
}

/** Prepares a run in the request. */
export function longRun(
  definition: ToolDefinition,
  input: unknown,
  granted: Granted,
  offer: CatalogEntry,
  caller: Call,
  runtime: Runtime,
): ToolRun {
  const context = new LongRunContext(caller, offer, granted, runtime);
  const prepareAndRun = withRun(definition, async (given, ctx) => {
    const prepared = await definition.prepare?.(given, ctx);
    context.prepared = prepared === undefined ? undefined : toJson(prepared, "What prepare returned");
    return definition.run(given, ctx);
  });
  return { definition: prepareAndRun, input, granted, offer, caller, runtime, context };
}

/** Not a copy, because a definition may inherit its members: so do those with a compiled check. */
export function withRun(definition: ToolDefinition, run: ToolDefinition["run"]): ToolDefinition {
  return Object.create(definition, { run: { value: run, enumerable: true } });
}
