/**
 * The only place that runs tools: find, authorize, parse, claim, run, check, settle. Returns how the call ended;
 * mistakes of callers and tools never throw. Independent of protocols and stores.
 */
import { claim, recall, settle } from "../idempotency/idempotency.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import type { Call, Granted } from "../model/call.ts";
import type { CallResult } from "../model/call-result.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition } from "../model/definition.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Runtime } from "../ports/runtime.ts";
import { audit } from "./audit.ts";
import { authorize } from "./authorize.ts";
import { check } from "./check-output.ts";
import { parse } from "./parse-input.ts";
import { suppliedByCaller } from "./requirements.ts";
import { type RunTool, type TimedRun, type ToolRun, toolRun } from "./run-tool.ts";
import { ourFault } from "./within-time-limit.ts";

/** Carries out a call and writes its audit line, in a span if the deployment makes traces. */
export type Execute = (call: Call, runtime: Runtime) => Promise<CallResult>;

/** The steps of {@link execute} that differ between plain calls and calls that can become tasks. */
export interface Steps {
  /**
   * Continues an earlier call.
   *
   * @returns undefined if this call does not continue an earlier one
   */
  readonly resume?: (entry: CatalogEntry, call: Call, runtime: Runtime) => Promise<CallResult> | undefined;
  /** Assembles what the run of a tool needs. */
  readonly makeRun: typeof toolRun;
  /** Carries out a call whose tool is ready to run: claim, run, check, settle. */
  readonly carryOut: (tool: ToolRun) => MaybePromise<CallResult>;
  /** For a call that will not run: finds the result of an earlier call with the same key. */
  readonly recall: typeof recall;
}

/** @param run runs a tool, including what features do around the run */
export function plainSteps(run: RunTool): Steps {
  return {
    makeRun: toolRun,
    carryOut: (tool) => {
      if (tool.caller.key !== undefined) return runOnce(tool, tool.caller.key, run);
      const running = run(tool, check);
      return isPromise(running) ? running.then((ran) => resultOf(ran, tool)) : resultOf(running, tool);
    },
    recall,
  };
}

export function executeWith(steps: Steps): Execute {
  return (call, runtime) => {
    const { tracer } = runtime;
    return tracer ? tracer.inSpan(() => execute(call, runtime, steps)) : execute(call, runtime, steps);
  };
}

/** A call that was authorized when it was stored. */
export interface StoredCall {
  readonly entry: CatalogEntry;
  readonly granted: Granted;
}

/**
 * @param stored set for a call that was authorized before. Its tool is not looked up and authorized again, and the code
 *               that runs its task writes the audit line, because the task may still end differently
 */
export async function execute(call: Call, runtime: Runtime, steps: Steps, stored?: StoredCall): Promise<CallResult> {
  const finish = (result: CallResult) => {
    if (!stored) audit(runtime, call, result.entry, result.outcome, result.durationMs, result.replayed);
    return result;
  };
  let entry = stored?.entry ?? call.entry;
  if (entry === undefined) {
    const found = runtime.catalog.find(call.tool, call.toolkit);
    if ("refusal" in found) return finish(ended({ kind: "refused", ...found }, undefined));
    entry = found.entry;
  }

  let granted = stored?.granted;
  if (granted === undefined) {
    const resumed = steps.resume?.(entry, call, runtime);
    if (resumed) return finish(await resumed);

    const authorizing = authorize(entry, call, runtime);
    const authorized = isPromise(authorizing) ? await authorizing : authorizing;
    if ("refusal" in authorized)
      return finish(await unlessKnown({ kind: "refused", ...authorized }, entry, call, runtime, steps));
    granted = authorized.granted;
  }

  const loading = load(entry, call, runtime);
  const loaded = isPromise(loading) ? await loading : loading;
  if ("outcome" in loaded) return finish(await unlessKnown(loaded.outcome, entry, call, runtime, steps));

  const parsing = parse(loaded.definition, entry, call, runtime);
  const parsed = isPromise(parsing) ? await parsing : parsing;
  if ("outcome" in parsed) return finish(await unlessKnown(parsed.outcome, entry, call, runtime, steps));

  const running = steps.carryOut(steps.makeRun(loaded.definition, parsed.input, granted, entry, call, runtime));
  return finish(isPromise(running) ? await running : running);
}

/**
 * Ends a call that this version of its tool refuses, unless a call with its key has already run: a version before the
 * last deployment may have accepted it, and then its result is returned. A caller that may no longer call the tool gets
 * the refusal.
 */
async function unlessKnown(
  outcome: Outcome,
  entry: CatalogEntry,
  call: Call,
  runtime: Runtime,
  steps: Steps,
): Promise<CallResult> {
  const mayNotCall = outcome.kind === "refused" && outcome.refusal.reason !== "requirements";
  if (call.key === undefined || mayNotCall) return ended(outcome, entry);
  const granted = { fromCaller: suppliedByCaller(entry.options.requirements, call.context) };
  return (await steps.recall({ caller: call, primitive: entry, granted, runtime }, call.key)) ?? ended(outcome, entry);
}

/** Runs a call with an idempotency key at most once: claims the key, runs the tool, stores the outcome for the key. */
async function runOnce(tool: ToolRun, key: string, run: RunTool): Promise<CallResult> {
  const claimRunAndSettle = async () => {
    const claimed = await claim(tool, key);
    if ("result" in claimed) return claimed.result;
    const ran = await run(tool, check, claimed.lease);
    return settle(tool, claimed.lease, ran);
  };
  const result = claimRunAndSettle();
  // If the caller disconnects, the key must still be freed, or the outcome stored.
  tool.runtime.defer(result.catch(() => {}));
  return result;
}

type Loaded = { readonly definition: ToolDefinition } | { readonly outcome: Outcome };

/** Returns the tool's definition. Evaluates its module if this is the tool's first call in this isolate. */
function load(entry: CatalogEntry, call: Call, runtime: Runtime): MaybePromise<Loaded> {
  const definition = runtime.catalog.definition(entry);
  if (!isPromise(definition)) return { definition };
  return attempt<Loaded>(
    async () => ({ definition: await definition }),
    (error) => ({
      outcome: ourFault({ caller: call, primitive: entry, runtime }, "The tool could not be loaded.", error),
    }),
  );
}

function ended(outcome: Outcome, entry: CatalogEntry | undefined, durationMs = 0): CallResult {
  return { outcome, durationMs, entry };
}

function resultOf({ outcome, durationMs }: TimedRun, { primitive }: ToolRun): CallResult {
  return ended(outcome, primitive, durationMs);
}
