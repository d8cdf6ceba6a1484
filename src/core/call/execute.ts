/**
 * The only place that runs tools: find, authorize, parse, claim, run, check, settle. Returns how the call ended;
 * mistakes of callers and tools never throw. Independent of protocols and stores.
 */
import { type Attempt, claim, recall, settle } from "../idempotency/idempotency.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import type { Call } from "../model/call.ts";
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
import { type RunTool, run, type ToolRun, toolRun } from "./run-tool.ts";
import { ourFault } from "./within-time-limit.ts";

/** Carries out a call and writes its audit line, in a span if the deployment makes traces. */
export type Execute = (call: Call, runtime: Runtime) => Promise<CallResult>;

/** @param run runs a tool, with what features do around it */
export function executeWith(run: RunTool): Execute {
  return (call, runtime) => {
    const { tracer } = runtime;
    return tracer ? tracer.inSpan(() => carryOut(call, runtime, run)) : carryOut(call, runtime, run);
  };
}

/** Without any feature. */
export const execute: Execute = executeWith(run);

async function carryOut(call: Call, runtime: Runtime, run: RunTool): Promise<CallResult> {
  const finish = (result: CallResult) => {
    audit(runtime, call, result.entry, result.outcome, result.durationMs, result.replayed);
    return result;
  };
  const found = runtime.catalog.find(call.tool, call.toolkit);
  if ("refusal" in found) return finish(ended({ kind: "refused", ...found }, undefined));
  const { entry } = found;

  const authorizing = authorize(entry, call, runtime);
  const authorized = isPromise(authorizing) ? await authorizing : authorizing;
  if ("refusal" in authorized)
    return finish(await unlessKnown({ kind: "refused", ...authorized }, entry, call, runtime));

  const loading = load(entry, call, runtime);
  const loaded = isPromise(loading) ? await loading : loading;
  if ("outcome" in loaded) return finish(await unlessKnown(loaded.outcome, entry, call, runtime));

  const parsing = parse(loaded.definition, entry, call, runtime);
  const parsed = isPromise(parsing) ? await parsing : parsing;
  if ("outcome" in parsed) return finish(await unlessKnown(parsed.outcome, entry, call, runtime));

  const tool = toolRun(loaded.definition, parsed.input, authorized.granted, entry, call, runtime);
  if (call.key !== undefined) return finish(await runOnce(tool, call.key, run));

  const running = run(tool, check);
  const { outcome, durationMs } = isPromise(running) ? await running : running;
  return finish(ended(outcome, entry, durationMs));
}

/**
 * Ends a call that this version of its tool refuses, unless a call with its key has run: it may have run in an earlier
 * version, before a deployment, and then its result is the answer. Whether the caller may call is judged as of now.
 *
 * @param find finds the result of a call with that key
 */
export async function unlessKnown(
  outcome: Outcome,
  entry: CatalogEntry,
  call: Call,
  runtime: Runtime,
  find: (attempt: Attempt, key: string) => Promise<CallResult | undefined> = recall,
): Promise<CallResult> {
  const mayNotCall = outcome.kind === "refused" && outcome.refusal.reason !== "requirements";
  if (call.key === undefined || mayNotCall) return ended(outcome, entry);
  const granted = { fromCaller: suppliedByCaller(entry.options.requirements, call.context) };
  return (await find({ caller: call, primitive: entry, granted, runtime }, call.key)) ?? ended(outcome, entry);
}

/** Runs a call with an idempotency key at most once: claims the key, runs the tool, keeps the outcome under the key. */
export async function runOnce(tool: ToolRun, key: string, run: RunTool): Promise<CallResult> {
  const claimed = await claim(tool, key);
  if ("result" in claimed) return claimed.result;
  const { lease } = claimed;
  const runAndSettle = async () => {
    const ran = await run(tool, check, lease);
    return settle(tool, lease, ran);
  };
  const result = runAndSettle();
  // If the caller disconnects after the run and before it is settled, the outcome must still be kept.
  tool.runtime.defer(result.catch(() => {}));
  return result;
}

type Loaded = { readonly definition: ToolDefinition } | { readonly outcome: Outcome };

/** Returns the tool's definition. Evaluates its module if this is the tool's first call in this isolate. */
export function load(entry: CatalogEntry, call: Call, runtime: Runtime): MaybePromise<Loaded> {
  const definition = runtime.catalog.definition(entry);
  if (!isPromise(definition)) return { definition };
  return attempt<Loaded>(
    async () => ({ definition: await definition }),
    (error) => ({
      outcome: ourFault({ caller: call, primitive: entry, runtime }, "The tool could not be loaded.", error),
    }),
  );
}

export function ended(outcome: Outcome, entry: CatalogEntry | undefined, durationMs = 0): CallResult {
  return { outcome, durationMs, entry };
}
