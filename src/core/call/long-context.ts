/** The context of a long tool: that of any tool, plus checkpoints and the value that its `prepare` returned. */
import { toJson } from "../lib/json.ts";
import type { ToolDefinition } from "../model/definition.ts";
import type { LongContext, StepOptions } from "../model/tool-context.ts";
import { RunContext } from "./context.ts";
import { type ToolRun, toolRun } from "./run-tool.ts";

/**
 * Bytes of JSON that a step may return. Encrypted and in Base64, they take a third more, and a workflow stores at most
 * 1 MiB per step (Workflows, Limits).
 */
const MAX_STEP_BYTES = 750_000;
/** Most characters in a step's name (Workflows, Limits). */
const MAX_NAME = 256;

/** Does a step and stores its result, which is JSON, for the run after a crash. */
export type DoStep = (name: string, work: () => Promise<unknown>, options: StepOptions) => Promise<unknown>;

/** The context of a run that is not a task. Its checkpoints store nothing. */
export class LongRunContext extends RunContext implements LongContext<unknown> {
  prepared: unknown;
  readonly #stepsUnderWay = new Set<string>();
  readonly #times = new Map<string, number>();
  #openSteps = 0;

  override get stepsUnderWay(): Iterable<string> {
    return this.#stepsUnderWay;
  }

  /** How many steps were begun and have not settled, those included that the engine has not started. */
  get openSteps(): number {
    return this.#openSteps;
  }

  step<Value>(name: string, work: () => Value | Promise<Value>, options: StepOptions = {}): Promise<Value> {
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    const place = `step ${times} ${name}`;
    const doWork = async () => {
      this.#stepsUnderWay.add(place);
      const value = await Promise.resolve(work()).finally(() => this.#stepsUnderWay.delete(place));
      if (value === undefined) return undefined;
      const what = `The result of the step "${name}"`;
      const kept = toJson(value, what);
      // Check here, because otherwise the workflow would refuse it, and only once the tool is deployed.
      if (byteLength(JSON.stringify(kept)) > MAX_STEP_BYTES) {
        throw new RangeError(`${what} has over ${MAX_STEP_BYTES} bytes of JSON: keep it elsewhere, and return where`);
      }
      return kept;
    };
    if (name.length > MAX_NAME || /\p{Cc}/u.test(name)) {
      const problem = `The name of the step ${JSON.stringify(name.slice(0, 60))} is too long, or has control characters`;
      return Promise.reject(new TypeError(`${problem}: at most ${MAX_NAME} characters are allowed`));
    }
    this.#openSteps++;
    return this.doStep(name, doWork, options).finally(() => this.#openSteps--) as Promise<Value>;
  }

  protected doStep: DoStep = (_, work) => work();
}

/** Assembles a run of a long tool within its request: `prepare`, then `run`. */
export function longRun(...given: Parameters<typeof toolRun>): ToolRun {
  const tool = toolRun(...given);
  const { definition, caller, primitive, granted, runtime } = tool;
  const context = new LongRunContext(caller, primitive, granted, runtime);
  const prepareAndRun = withRun(definition, async (input, ctx) => {
    context.prepared = await preparedBy(definition, input, ctx);
    return definition.run(input, ctx);
  });
  return { ...tool, definition: prepareAndRun, context };
}

/** The value that a tool's `prepare` returns, if it has one, as JSON. @throws {NotJson} if JSON cannot represent it */
export async function preparedBy(definition: ToolDefinition, ...given: Parameters<ToolDefinition["run"]>) {
  const prepared = await definition.prepare?.(...given);
  return prepared === undefined ? undefined : toJson(prepared, "What prepare returned");
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Does not copy the definition: it may inherit its members, as one with a compiled check does. */
export function withRun(definition: ToolDefinition, run: ToolDefinition["run"]): ToolDefinition {
  return Object.create(definition, { run: { value: run, enumerable: true } });
}
