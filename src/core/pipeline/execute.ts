import { runOnce } from "../idempotency/run-once.ts";
import { andThen, type MaybePromise } from "../lib/maybe-promise.ts";
import type { Call } from "../model/call.ts";
import type { CallResult } from "../model/call-result.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition } from "../model/definition.ts";
import type { Granted } from "../model/granted.ts";
import type { Issue, Outcome, Refusal } from "../model/outcome.ts";
import type { Runtime } from "../ports/runtime.ts";
import { ourFault } from "../run/run-code.ts";
import { type TimedRun, ToolRun } from "../run/run-tool.ts";
import { audit } from "./audit.ts";
import { authorize } from "./authorize.ts";
import { resolveRequirements } from "./requirements.ts";

/** @returns at once for a tool that does, and that nothing has to be asked for */
export function execute(call: Call, runtime: Runtime): MaybePromise<CallResult> {
  return andThen(carryOut(call, runtime), told, call, runtime);
}

function told(result: CallResult, call: Call, runtime: Runtime): CallResult {
  audit(runtime, call, result.entry, result.outcome, result.durationMs, result.replayed);
  return result;
}

function carryOut(call: Call, runtime: Runtime): MaybePromise<CallResult> {
  const found = runtime.catalog.find(call.tool, call.toolkit);
  if ("refusal" in found) return refused(found.refusal);
  const { entry } = found;
  return andThen(authorize(entry, call.principal, runtime), prepare, call, entry, runtime);
}

function prepare(
  refusal: Refusal | undefined,
  call: Call,
  entry: CatalogEntry,
  runtime: Runtime,
): MaybePromise<CallResult> {
  if (refusal) return refused(refusal, entry);
  const requirements = resolveRequirements(entry.traits.requirements, call.context, runtime.secret);
  if ("missing" in requirements) {
    return refused({ reason: "requirements", name: entry.name, missing: requirements.missing }, entry);
  }
  const definition = runtime.catalog.definition(entry);
  return definition instanceof Promise
    ? load(definition, requirements.met, call, entry, runtime)
    : check(new ToolRun(definition, requirements.met, call, entry, runtime));
}

function load(
  definition: Promise<ToolDefinition>,
  met: Granted,
  call: Call,
  entry: CatalogEntry,
  runtime: Runtime,
): Promise<CallResult> {
  return definition.then(
    (loaded) => check(new ToolRun(loaded, met, call, entry, runtime)),
    (error) => ended(ourFault(call, entry, runtime, "The tool could not be loaded.", error), entry),
  );
}

function check(run: ToolRun): MaybePromise<CallResult> {
  let issues: MaybePromise<Issue[] | undefined>;
  try {
    issues = run.parse();
  } catch (error) {
    return unchecked(error, run);
  }
  return issues instanceof Promise ? checkLater(issues, run) : perform(issues, run);
}

function checkLater(issues: Promise<Issue[] | undefined>, run: ToolRun): Promise<CallResult> {
  return issues.then(
    (found) => perform(found, run),
    (error) => unchecked(error, run),
  );
}

function unchecked(error: unknown, { caller, offer, runtime }: ToolRun): CallResult {
  return ended(ourFault(caller, offer, runtime, "The tool's input check failed.", error), offer);
}

function perform(issues: Issue[] | undefined, run: ToolRun): MaybePromise<CallResult> {
  const { caller, offer } = run;
  if (issues) return ended({ kind: "invalid", issues }, offer);
  if (caller.key !== undefined) return runOnce(run, caller.key);
  return andThen(run.run(), endingOf, offer);
}

function endingOf({ outcome, durationMs }: TimedRun, entry: CatalogEntry): CallResult {
  return ended(outcome, entry, durationMs);
}

function ended(outcome: Outcome, entry: CatalogEntry | undefined, durationMs = 0): CallResult {
  return { outcome, durationMs, entry };
}

function refused(refusal: Refusal, entry?: CatalogEntry): CallResult {
  return ended({ kind: "refused", refusal }, entry);
}
