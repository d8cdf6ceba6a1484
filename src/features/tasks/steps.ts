/** The steps of calls of long tools, which become tasks. (What a tool does in `ctx.step` is in run/task-context.ts.) */
import { missingScopes } from "../../core/call/authorize.ts";
import type { Steps } from "../../core/call/execute.ts";
import { longRun, preparedBy, withRun } from "../../core/call/long-context.ts";
import type { RunTool, ToolRun } from "../../core/call/run-tool.ts";
import { keysOf } from "../../core/idempotency/idempotency.ts";
import { canonical, type Json } from "../../core/lib/json.ts";
import type { Call } from "../../core/model/call.ts";
import type { CallResult } from "../../core/model/call-result.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import { DEFAULT_TIMEOUT_MS } from "../../core/model/default-time-limit.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import { GRANT } from "../../core/model/principal.ts";
import type { Prepared, Runtime, Tasks } from "../../core/ports/runtime.ts";
import { UNKNOWN_TASK } from "./tasks.ts";

/** Without a ledger, as in tests of tools, the calls of long tools end with their requests, like all others. */
export function stepsWithTasks(next: Steps, run: RunTool): Steps {
  return {
    resume: (entry, call, runtime) => (call.task === undefined ? undefined : resume(call.task, entry, call, runtime)),
    makeRun: (definition, input, granted, entry, ...given) =>
      (entry.options.long ? longRun : next.makeRun)(definition, input, granted, entry, ...given),
    carryOut(tool) {
      const { caller, primitive, granted, runtime } = tool;
      const tasks = tasksOf(primitive, runtime);
      const prepare = tool.definition.prepare && (() => runPrepare(tool, run));
      return tasks ? tasks.carryOut({ caller, primitive, granted, runtime, prepare }) : next.carryOut(tool);
    },
    recall(attempt, key) {
      const tasks = tasksOf(attempt.primitive, attempt.runtime);
      return tasks ? tasks.recall(attempt) : next.recall(attempt, key);
    },
  };
}

/** Gives a call the result of an earlier one. It needs the tool's scopes, and is not counted as a call of the tool. */
async function resume(task: string, entry: CatalogEntry, call: Call, runtime: Runtime): Promise<CallResult> {
  const ended = (outcome: Outcome): CallResult => ({ outcome, durationMs: 0, entry });
  const refusal = missingScopes(entry, call.principal);
  if (refusal) return ended({ kind: "refused", refusal });
  return runtime.tasks?.resume(task, entry, call, runtime) ?? ended({ kind: "failed", fault: UNKNOWN_TASK });
}

/** @returns what carries out the calls of a tool; undefined if it is not long */
function tasksOf({ options }: CatalogEntry, { tasks }: Runtime): Tasks | undefined {
  return options.long ? tasks : undefined;
}

/** The seed of the ids of pages: two who have signed in with one key, and use one idempotency key, share no page. */
async function seedOf(fingerprint: string, { caller, runtime }: ToolRun): Promise<string> {
  const grant = caller.principal[GRANT];
  return grant === undefined ? fingerprint : runtime.signer.sign(canonical(["pages of prepare", fingerprint, grant]));
}

/** Runs a tool's `prepare` in the request, where it can ask its caller in any way that the protocol has. */
async function runPrepare(tool: ToolRun, run: RunTool): Promise<Prepared | { readonly outcome: Outcome }> {
  const { definition, primitive, context } = tool;
  const timeoutMs = Math.min(primitive.options.timeoutMs ?? DEFAULT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS);
  const preparing = {
    ...tool,
    definition: withRun(definition, (input, ctx) => preparedBy(definition, input, ctx)),
    primitive: { ...primitive, options: { ...primitive.options, timeoutMs } },
  };
  // The call's key is claimed by the task that begins afterwards.
  const keys = tool.caller.key === undefined ? undefined : await keysOf(tool, tool.caller.key);
  const lease = keys && { ...keys, fingerprint: await seedOf(keys.fingerprint, tool), extend: async () => true };
  const check = (value: unknown): Outcome => ({ kind: "completed", value: value as Json | undefined });
  const { outcome } = await run(preparing, check, lease);
  if (outcome.kind !== "completed") return { outcome };
  return { value: outcome.value, sawSession: context.sawSession };
}
