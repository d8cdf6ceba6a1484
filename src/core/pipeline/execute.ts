/**
 * The one place where a tool is run: find, authorize, parse, claim, run, check, settle. Returns how the call ended, and
 * never throws for what a caller or a tool did. Knows no protocol and no store.
 */
import { claim, recall, settle } from "../idempotency/idempotency.ts";
import { attempt, isPromise, type MaybePromise } from "../lib/maybe-promise.ts";
import type { Call } from "../model/call.ts";
import type { CallResult } from "../model/call-result.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition } from "../model/definition.ts";
import type { Outcome, Refusal } from "../model/outcome.ts";
import type { Runtime } from "../ports/runtime.ts";
import { check } from "../run/check-output.ts";
import { parse } from "../run/parse-input.ts";
import { ourFault } from "../run/run-code.ts";
import { run, type ToolRun, toolRun } from "../run/run-tool.ts";
import { audit } from "./audit.ts";
import { authorize } from "./authorize.ts";
import { fromCaller } from "./requirements.ts";

/** Carries out a call, and writes its audit line. */
export async function execute(call: Call, runtime: Runtime): Promise<CallResult> {
  const result = await carryOut(call, runtime);
  audit(runtime, call, result.entry, result.outcome, result.durationMs, result.replayed);
  return result;
}

async function carryOut(call: Call, runtime: Runtime): Promise<CallResult> {
  const found = find(call, runtime);
  if ("refusal" in found) return refused(found.refusal);
  const { entry } = found;

  const authorizing = authorize(entry, call, runtime);
  const authorized = isPromise(authorizing) ? await authorizing : authorizing;
  if ("refusal" in authorized) return unlessKnown({ kind: "refused", ...authorized }, entry, call, runtime);

  const loading = load(entry, call, runtime);
  const loaded = isPromise(loading) ? await loading : loading;
  if ("outcome" in loaded) return unlessKnown(loaded.outcome, entry, call, runtime);

  const parsing = parse(loaded.definition, entry, call, runtime);
  const parsed = isPromise(parsing) ? await parsing : parsing;
  if ("outcome" in parsed) return unlessKnown(parsed.outcome, entry, call, runtime);

  const tool = toolRun(loaded.definition, parsed.input, authorized.granted, entry, call, runtime);
  if (call.key !== undefined) return carryOutOnce(tool, call.key);

  const running = run(tool, check);
  const { outcome, durationMs } = isPromise(running) ? await running : running;
  return ended(outcome, entry, durationMs);
}

/**
 * Ends a call that this version of its tool does not take, unless its key has run already: it may have been in another
 * version, before a deployment, and is answered from that. Whether its caller may call at all is judged as of now.
 */
async function unlessKnown(outcome: Outcome, entry: CatalogEntry, call: Call, runtime: Runtime): Promise<CallResult> {
  const isOfCaller = outcome.kind === "refused" && outcome.refusal.reason !== "requirements";
  if (call.key === undefined || isOfCaller) return ended(outcome, entry);
  const granted = { fromCaller: fromCaller(entry.traits.requirements, call.context) };
  return (await recall({ caller: call, offer: entry, granted, runtime }, call.key)) ?? ended(outcome, entry);
}

/** A keyed call runs at most once: it claims its key first, and its outcome is kept under it. */
async function carryOutOnce(tool: ToolRun, key: string): Promise<CallResult> {
  const claimed = await claim(tool, key);
  if ("result" in claimed) return claimed.result;
  const { lease } = claimed;
  const runAndSettle = async () => {
    const ran = await run(tool, check, lease);
    return settle(tool, lease, ran);
  };
  const result = runAndSettle();
  // If the caller goes away between the run and its settling, the outcome must still be kept.
  tool.runtime.defer(result.catch(() => {}));
  return result;
}

function find({ tool, toolkit }: Call, { catalog }: Runtime): { entry: CatalogEntry } | { refusal: Refusal } {
  return catalog.find(tool, toolkit);
}

type Loaded = { readonly definition: ToolDefinition } | { readonly outcome: Outcome };

/** Evaluates the tool's module if this is the isolate's first call of it. */
function load(entry: CatalogEntry, call: Call, runtime: Runtime): MaybePromise<Loaded> {
  const definition = runtime.catalog.definition(entry);
  if (!isPromise(definition)) return { definition };
  return attempt<Loaded>(
    async () => ({ definition: await definition }),
    (error) => ({ outcome: ourFault(call, entry, runtime, "The tool could not be loaded.", error) }),
  );
}

function ended(outcome: Outcome, entry: CatalogEntry | undefined, durationMs = 0): CallResult {
  return { outcome, durationMs, entry };
}

function refused(refusal: Refusal, entry?: CatalogEntry): CallResult {
  return ended({ kind: "refused", refusal }, entry);
}
