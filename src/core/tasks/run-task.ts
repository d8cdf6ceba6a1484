/** Runs a task: the steps of `execute` from load to check, for a call in its stored form. Its ledger gets the result. */
import { describeError, type Log } from "../lib/log.ts";
import type { ToolDefinition } from "../model/definition.ts";
import { isFinal, type Outcome } from "../model/outcome.ts";
import { audit } from "../pipeline/audit.ts";
import { resolveRequirements } from "../pipeline/requirements.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Begun, TaskFailure, TaskLedger } from "../ports/task-ledger.ts";
import { check } from "../run/check-output.ts";
import { parse } from "../run/parse-input.ts";
import { ourFault } from "../run/run-code.ts";
import { run } from "../run/run-tool.ts";
import { RunLink } from "./run-link.ts";
import { callOf, type TaskCall } from "./task-call.ts";
import { type EngineRun, TaskContext } from "./task-context.ts";
import { taskSeal } from "./task-seal.ts";

/** What a run is given. */
export interface TaskParts {
  readonly id: string;
  readonly partition: string;
  readonly ledger: TaskLedger;
  readonly engine: EngineRun;
  readonly runtime: Runtime;
  /** Between two signs of life, in milliseconds. */
  readonly beatMs: number;
}

/** The result of a task, as its ledger keeps it. */
export interface KeptResult {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Whether the tool accessed its session. */
  readonly sawSession?: boolean;
}

type Ended = KeptResult | { readonly failure: TaskFailure };

/** How long a run that has ended tries to tell its ledger, in milliseconds: longer than any restart of an object. */
const PATIENCE_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 15_000;
const TOO_LARGE = "The tool's result is too large to be kept.";

/**
 * Runs a task, unless it has ended or must not run again. Rejects only if the run could not begin: the engine tries
 * again then. It must not do so later, because the tool has run.
 */
export async function runTask(parts: TaskParts): Promise<void> {
  const { id, partition, ledger, runtime } = parts;
  const seal = await taskSeal(runtime.signer, partition, id);
  const begun = await ledger.begin(id, crypto.randomUUID());
  if (begun === undefined) return;
  const end = (ended: KeptEnd) => insist(() => ended(ledger, begun.run), runtime.log);
  const call = await seal.open<TaskCall>("call", begun.call).catch((error) => {
    // The signing key was replaced.
    runtime.log({ level: "error", message: "task not opened", error: describeError(error) });
  });
  if (call === undefined) return end((to, run) => to.fail(id, run, "lost"));
  const link = new RunLink({ ...parts, begun, seal, log: runtime.log });
  try {
    const carrying = () => carryOut(call, begun, link, parts);
    const ended = await (runtime.tracer ? runtime.tracer.inSpan(carrying) : carrying());
    if ("failure" in ended) return await end((to, run) => to.fail(id, run, ended.failure));
    const { outcome } = ended;
    const sealed = await seal.seal("result", ended).catch(() => {
      const tooLarge: Outcome = { kind: "failed", fault: { message: TOO_LARGE } };
      return seal.seal("result", { ...ended, outcome: tooLarge });
    });
    await end((to, run) => to.finish(id, run, sealed, isFinal(outcome)));
  } catch (error) {
    runtime.log({ level: "error", message: "task not carried out", error: describeError(error) });
    await end((to, run) => to.fail(id, run, "lost"));
  } finally {
    link.end();
  }
}

/** Tells a ledger how a run has ended. */
type KeptEnd = (ledger: TaskLedger, run: number) => Promise<unknown>;

/** Does what must not be lost to a ledger that is restarting. If even patience does not help, the watchdog decides. */
async function insist(work: () => Promise<unknown>, log: Log): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      if (Date.now() + pauseMs > until) {
        return log({ level: "error", message: "end of task not kept", error: describeError(error) });
      }
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  }
}

async function carryOut(kept: TaskCall, begun: Begun, link: RunLink, parts: TaskParts): Promise<Ended> {
  const { id, ledger, engine } = parts;
  const call = { ...callOf(kept), client: link, sink: link };
  const runtime = { ...parts.runtime, catalog: parts.runtime.catalog.visibleTo(call.principal) };
  const found = runtime.catalog.find(call.tool, call.toolkit);
  if ("refusal" in found) return { failure: "gone" };
  const { entry } = found;
  const ended = (outcome: Outcome, durationMs = 0): KeptResult => {
    audit(runtime, call, entry, outcome, durationMs);
    return { outcome, durationMs };
  };

  const resolved = resolveRequirements(entry.traits.requirements, call.context, runtime.secret);
  if ("missing" in resolved) {
    const { missing } = resolved;
    return ended({ kind: "refused", refusal: { reason: "requirements", name: entry.id, missing } });
  }
  let definition: ToolDefinition;
  try {
    definition = await runtime.catalog.definition(entry);
  } catch (error) {
    return ended(ourFault(call, entry, runtime, "The tool could not be loaded.", error));
  }
  const parsed = await parse(definition, entry, call, runtime);
  if ("outcome" in parsed) return ended(parsed.outcome);

  const capabilities = new Set(kept.capabilities);
  const task = { id, run: begun.run, ledger, engine, link, capabilities };
  const context = new TaskContext(call, entry, resolved.granted, runtime, task);
  context.prepared = kept.prepared;
  const tool = {
    definition,
    input: parsed.input,
    granted: resolved.granted,
    offer: entry,
    caller: call,
    runtime,
    context,
  };
  // A task is no one else's to run, so there is no lease to extend.
  const lease = { storeKey: kept.idempotencyKey, extend: async () => true };
  const { outcome, durationMs } = await run(tool, check, lease);
  return context.isInterrupted
    ? { failure: "interrupted" }
    : { ...ended(outcome, durationMs), sawSession: context.sawSession };
}
