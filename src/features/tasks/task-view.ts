/** Opens a task of the ledger for a caller who may see it. */
import { missingScopes } from "../../core/call/authorize.ts";
import type { CallResult, TaskProgress, TaskView } from "../../core/model/call-result.ts";
import type { Question } from "../../core/model/elicitation.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import { lacking } from "../../core/model/principal.ts";
import type { TaskCaller } from "../../core/ports/runtime.ts";
import { KEPT_MB, type StoredTask, type TaskFailure } from "../../core/ports/task-ledger.ts";
import type { KeptResult, TaskHead } from "./task-call.ts";
import type { TaskSeal } from "./task-seal.ts";

export const FAILURES: Readonly<Record<TaskFailure, string>> = {
  interrupted:
    "The server was interrupted while this call was running. The call may have had its effect, so it was not run again.",
  lost: "The server was interrupted while this call was running, and could not continue it.",
  no_room: `The call has run, but its result was not kept: what is kept of your calls of long tools takes ${KEPT_MB} MB.`,
  gone: "This call could not be continued, because the version of the tool that it began with is no longer deployed.",
  expired: "This call was ended because it was not done in time. It may have had a question that nobody answered.",
};

/** A result should be seen within this time and a tenth of the task's age, in milliseconds. Each look costs. */
const SOON_MS = 2_000;
export const MAX_POLL_MS = 30_000;
const STEP_MS = 500;

/**
 * When to look at a task again, in milliseconds.
 *
 * @param ageMs how old the task is
 */
export function pollMsAt(ageMs: number): number {
  // A tenth of the task's age at the next look, in half seconds.
  const wholeMs = Math.floor((SOON_MS + ageMs / 10) / 0.9 / STEP_MS) * STEP_MS;
  return Math.min(MAX_POLL_MS, wholeMs);
}

/** @returns undefined if this caller may not see the task */
export async function viewOf(stored: StoredTask, seal: TaskSeal, by: TaskCaller): Promise<TaskView | undefined> {
  const head = await seal.open<TaskHead>("head", stored.head);
  const entry = visibleEntry(head, by);
  if (entry === undefined) return undefined;
  const { id, status, created, updated, expires, sequence, report } = stored;
  const questions = Object.entries(stored.questions).map(
    async ([name, sealed]) => [name, await seal.open<Question>(`question ${name}`, sealed)] as const,
  );
  const kept = stored.result === undefined ? undefined : await seal.open<KeptResult>("result", stored.result);
  const ended = endOf(stored, kept);
  const progress = report === undefined ? undefined : await seal.open<TaskProgress>("report", report);
  // What a task did last says nothing once it has ended.
  const isUnfinished = status === "working" || status === "input_required";
  return {
    ...{ id, entry, version: head.version, status, sequence, progress },
    session: head.session && { ...head.session, seen: kept?.sawSession === true },
    message: stored.failure ? FAILURES[stored.failure] : isUnfinished ? inWords(progress) : undefined,
    createdAt: created,
    updatedAt: updated,
    expiresAt: expires,
    pollMs: pollMsAt(Date.now() - created),
    questions: new Map(await Promise.all(questions)),
    grant: head.grant,
    isAwaited: stored.isAwaited,
    isHeldBack: stored.isHeldBack,
    result: ended && { ...ended, entry, run: head.run },
  };
}

/** As with the result of any keyed call, a caller with fewer scopes than the first caller does not get it. */
function visibleEntry({ toolId: id, version, scopes }: TaskHead, { caller, runtime }: TaskCaller) {
  const { principal, toolkit } = caller;
  const isBroader = scopes === "all" ? principal.scopes !== "all" : lacking(scopes, principal.scopes).length > 0;
  if (isBroader) return undefined;
  const exact = runtime.catalog.find({ id, version }, toolkit);
  // A later deployment may have replaced the version, but the result is still its caller's.
  const found = "entry" in exact ? exact : runtime.catalog.find({ id }, toolkit);
  return "entry" in found && missingScopes(found.entry, principal) === undefined ? found.entry : undefined;
}

/** @returns how a task has ended; undefined if it has not */
export function endOf(stored: StoredTask, kept: KeptResult | undefined): Omit<CallResult, "entry"> | undefined {
  const ended = (outcome: Outcome) => ({ outcome, durationMs: stored.updated - stored.created });
  if (kept !== undefined) return { outcome: kept.outcome, durationMs: kept.durationMs };
  if (stored.failure !== undefined) return ended({ kind: "failed", fault: { message: FAILURES[stored.failure] } });
  return stored.status === "cancelled" ? ended({ kind: "cancelled" }) : undefined;
}

function inWords(progress: TaskProgress | undefined): string | undefined {
  if (progress === undefined) return undefined;
  const { done, total, message } = progress;
  return message ?? (total === undefined ? `${done} done` : `${done} of ${total}`);
}
