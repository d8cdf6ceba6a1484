/** Runs a tool whose call was authorized and parsed, and checks what it returned, both under the tool's time limit. */
import { isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import { keepMap } from "../lib/v8-maps.ts";
import type { Call } from "../model/call.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition } from "../model/definition.ts";
import type { Granted } from "../model/granted.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Runtime } from "../ports/runtime.ts";
import { RunContext } from "./context.ts";
import { type Run, runWithin } from "./run-code.ts";

/** A tool that is ready to run. */
export interface ToolRun {
  readonly definition: ToolDefinition;
  /** Parsed. */
  readonly input: unknown;
  /** What the tool gets to see of what the caller and the Worker supplied. */
  readonly granted: Granted;
  readonly offer: CatalogEntry;
  readonly caller: Call;
  readonly runtime: Runtime;
  readonly context: RunContext;
}

/** How a run ended, and how many milliseconds it took. */
export interface TimedRun extends Run {
  readonly durationMs: number;
}

/** The right to run a keyed call, as far as the run knows it. */
export interface RunLease {
  /** Given to the tool as `ctx.idempotencyKey`, for it to pass on. */
  readonly storeKey: string;
  /** Extends the lease by `ms` milliseconds. Resolves with false if it was lost. */
  extend(ms: number): Promise<boolean>;
}

/** The caller gave up before its turn came: the tool has not run. */
const CANCELLED: TimedRun = { outcome: { kind: "cancelled" }, durationMs: 0 };

export function toolRun(
  definition: ToolDefinition,
  input: unknown,
  granted: Granted,
  offer: CatalogEntry,
  caller: Call,
  runtime: Runtime,
): ToolRun {
  const context = new RunContext(caller, offer, granted, runtime);
  return { definition, input, granted, offer, caller, runtime, context };
}

/**
 * @param check turns what the tool returned into an outcome
 * @param lease of a keyed call
 */
export function run(
  tool: ToolRun,
  check: (returned: unknown, tool: ToolRun) => MaybePromise<Outcome>,
  lease?: RunLease,
): MaybePromise<TimedRun> {
  const { definition, input, offer, caller, runtime, context } = tool;
  if (lease) {
    // Claiming took a while.
    if (caller.client?.signal.aborted) return CANCELLED;
    context.idempotencyKey = lease.storeKey;
    context.extendLease = (ms) => lease.extend(ms);
  }
  const started = runtime.now();
  const running = runWithin({
    context,
    caller,
    offer,
    runtime,
    start: () => definition.run(input as never, context as never),
    check: (returned) => check(returned, tool),
  });
  return isPromise(running) ? running.then((ran) => ended(ran, started, tool)) : ended(running, started, tool);
}

function ended(ran: Run, started: number, { context, runtime }: ToolRun): MaybePromise<TimedRun> {
  const closing = context.end();
  const timed = (): TimedRun => {
    const durationMs = runtime.now() - started;
    const { outcome, late } = ran;
    return late ? { outcome, durationMs, late: closeAgain(late, context) } : { outcome, durationMs };
  };
  return closing ? closing.then(timed) : timed();
}

/** A tool that works on after its time is over may change its session: that is written when it ends. */
async function closeAgain(late: Promise<Outcome | undefined>, context: RunContext): Promise<Outcome | undefined> {
  const outcome = await late;
  await context.end();
  return outcome;
}

keepMap(toolRun({} as ToolDefinition, {}, {} as Granted, {} as CatalogEntry, {} as Call, {} as Runtime));
