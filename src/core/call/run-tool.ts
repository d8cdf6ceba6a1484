/** Runs a tool after its call was authorized and parsed, and checks its result, both within the tool's time limit. */
import type { RunLease } from "../idempotency/lease.ts";
import { isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import type { Call, Granted } from "../model/call.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition } from "../model/definition.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Runtime } from "../ports/runtime.ts";
import { RunContext } from "./context.ts";
import { type Run, runWithin } from "./within-time-limit.ts";

export interface ToolRun {
  readonly definition: ToolDefinition;
  /** As parsed by the tool's schema. */
  readonly input: unknown;
  readonly granted: Granted;
  readonly primitive: CatalogEntry;
  readonly caller: Call;
  readonly runtime: Runtime;
  readonly context: RunContext;
}

export interface TimedRun extends Run {
  readonly durationMs: number;
}

/** The result if the caller has gone before the tool ran. */
const CANCELLED: TimedRun = { outcome: { kind: "cancelled" }, durationMs: 0 };

export function toolRun(
  definition: ToolDefinition,
  input: unknown,
  granted: Granted,
  primitive: CatalogEntry,
  caller: Call,
  runtime: Runtime,
): ToolRun {
  const context = new RunContext(caller, primitive, granted, runtime);
  return { definition, input, granted, primitive, caller, runtime, context };
}

/**
 * Runs a tool and closes its session.
 *
 * @param check turns the tool's result into an outcome
 * @param lease set for a keyed call
 */
export function run(
  tool: ToolRun,
  check: (returned: unknown, tool: ToolRun) => MaybePromise<Outcome>,
  lease?: RunLease,
): MaybePromise<TimedRun> {
  const { definition, input, primitive, caller, runtime, context } = tool;
  if (lease) {
    // The caller may have gone while the key was being claimed.
    if (caller.client?.signal.aborted) return CANCELLED;
    context.idempotencyKey = lease.storeKey;
    context.fingerprint = lease.fingerprint;
    context.extendLease = (ms) => lease.extend(ms);
  }
  const started = runtime.now();
  const running = runWithin({
    context,
    caller,
    primitive,
    runtime,
    start: () => definition.run(input as never, context as never),
    check: (returned) => check(returned, tool),
  });
  return isPromise(running) ? running.then((ran) => ended(ran, started, tool)) : ended(running, started, tool);
}

export type RunTool = typeof run;

function ended(ran: Run, started: number, { context, runtime }: ToolRun): MaybePromise<TimedRun> {
  const closing = context.end();
  const timed = (): TimedRun => {
    const durationMs = runtime.now() - started;
    const { outcome, late } = ran;
    return late ? { outcome, durationMs, late: closeAgain(late, context) } : { outcome, durationMs };
  };
  return closing ? closing.then(timed) : timed();
}

/** Writes the session changes of a tool that kept running after its time limit, once the tool ends. */
async function closeAgain(late: Promise<Outcome | undefined>, context: RunContext): Promise<Outcome | undefined> {
  const outcome = await late;
  await context.end();
  return outcome;
}
