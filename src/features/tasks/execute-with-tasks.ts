/** `execute` of a deployment with long tools: their calls run as tasks, and all others as everywhere. */
import { audit } from "../../core/call/audit.ts";
import { authorize, missingScopes } from "../../core/call/authorize.ts";
import { check } from "../../core/call/check-output.ts";
import { type Execute, ended, load, runOnce, unlessKnown } from "../../core/call/execute.ts";
import { longRun, preparedBy, withRun } from "../../core/call/long-context.ts";
import { parse } from "../../core/call/parse-input.ts";
import type { RunTool, ToolRun } from "../../core/call/run-tool.ts";
import type { Json } from "../../core/lib/json.ts";
import type { Call } from "../../core/model/call.ts";
import type { CallResult } from "../../core/model/call-result.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import { DEFAULT_TIMEOUT_MS } from "../../core/model/default-time-limit.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import type { Runtime } from "../../core/ports/runtime.ts";
import { UNKNOWN_TASK } from "./tasks.ts";

/** Carries out a call and writes its audit line, in a span if the deployment makes traces. */
export function executeWithTasks(next: Execute, run: RunTool): Execute {
  return (call, runtime) => {
    const found = runtime.catalog.find(call.tool, call.toolkit);
    if ("refusal" in found || !found.entry.options.long) return next(call, runtime);
    const { entry } = found;
    const finish = async () => {
      const result = await carryOut(call, entry, runtime, run);
      audit(runtime, call, result.entry, result.outcome, result.durationMs, result.replayed);
      return result;
    };
    return runtime.tracer ? runtime.tracer.inSpan(finish) : finish();
  };
}

/** The steps of `execute` until the tool could run. Then its task begins. */
async function carryOut(call: Call, entry: CatalogEntry, runtime: Runtime, run: RunTool): Promise<CallResult> {
  const { tasks } = runtime;
  if (call.task !== undefined) {
    const refusal = missingScopes(entry, call.principal);
    if (refusal) return ended({ kind: "refused", refusal }, entry);
    return tasks
      ? tasks.resume(call.task, entry, call, runtime)
      : ended({ kind: "failed", fault: UNKNOWN_TASK }, entry);
  }
  const unlessBegun = (outcome: Outcome) =>
    unlessKnown(outcome, entry, call, runtime, async (attempt) => tasks?.recall(attempt));
  const authorized = await authorize(entry, call, runtime);
  if ("refusal" in authorized) return unlessBegun({ kind: "refused", ...authorized });

  const loaded = await load(entry, call, runtime);
  if ("outcome" in loaded) return unlessBegun(loaded.outcome);

  const parsed = await parse(loaded.definition, entry, call, runtime);
  if ("outcome" in parsed) return unlessBegun(parsed.outcome);

  const tool = longRun(loaded.definition, parsed.input, authorized.granted, entry, call, runtime);
  const prepare = loaded.definition.prepare && (() => runPrepare(tool, run));
  if (tasks) return tasks.carryOut({ caller: call, primitive: entry, granted: authorized.granted, runtime, prepare });

  // In a test there is no ledger: the call ends with its request.
  if (call.key !== undefined) return runOnce(tool, call.key, run);
  const { outcome, durationMs } = await run(tool, check);
  return ended(outcome, entry, durationMs);
}

/** Runs a tool's `prepare` in the request, where it can ask its caller in any way that the protocol has. */
async function runPrepare(tool: ToolRun, run: RunTool): Promise<Outcome> {
  const { definition, primitive } = tool;
  const timeoutMs = Math.min(primitive.options.timeoutMs ?? DEFAULT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS);
  const preparing = {
    ...tool,
    definition: withRun(definition, (input, ctx) => preparedBy(definition, input, ctx)),
    primitive: { ...primitive, options: { ...primitive.options, timeoutMs } },
  };
  const { outcome } = await run(preparing, (value) => ({ kind: "completed", value: value as Json | undefined }));
  return outcome;
}
