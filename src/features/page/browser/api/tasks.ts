/** Follows the task that a long call has become, until it ends (the extension io.modelcontextprotocol/tasks). */
import { raced } from "../../../../client/lib/http.ts";
import { isRecord } from "../../../../client/lib/json.ts";
import { NeedsCredential, Refused, RpcFailure, Unreachable, unreadable } from "./failures.ts";
import { answersTo, type Mcp, type RequestOptions } from "./mcp.ts";
import { NotDone } from "./outcome.ts";
import { type Members, textOr } from "./read.ts";

export const TASKS = { "io.modelcontextprotocol/tasks": {} } as const;

/** A wait that is about to begin. */
export interface Waiting {
  readonly ms: number;
  /** The reason, in a sentence. */
  readonly why: string;
}

export interface Following extends RequestOptions {
  readonly signal: AbortSignal;
  readonly onWaiting?: ((waiting: Waiting) => void) | undefined;
}

const POLL_MS = 30_000;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 60_000;
/** The first pause between two tries without a connection, in milliseconds. It doubles. */
const RETRY_MS = 1_000;
/** How long the server may take to hear that a task is cancelled, in milliseconds. */
const CANCEL_MS = 5_000;

/**
 * Polls a task until it ends, answers its questions, and goes on after the connection was lost. If the signal is
 * aborted, cancels the task first.
 *
 * @param task the `CreateTaskResult`
 * @returns the result of the call
 * @throws {NotDone | RpcFailure | NeedsCredential | Refused} and the reason of the signal
 */
export async function followTask(mcp: Mcp, task: Members, options: Following): Promise<Members> {
  const { taskId } = task;
  if (typeof taskId !== "string") return unreadable("its task has no id");
  try {
    return await follow(mcp, taskId, task, options);
  } catch (error) {
    if (options.signal.aborted) {
      // If the server cannot be reached, there is nothing else to do.
      const late = { extensions: declared(options), timeoutMs: CANCEL_MS, isLate: true };
      await mcp.request("tasks/cancel", { taskId }, late).catch(() => {});
    }
    throw error;
  }
}

async function follow(mcp: Mcp, taskId: string, first: Members, given: Following): Promise<Members> {
  const { signal, onProgress, onWaiting } = given;
  let task = first;
  /** The message that the person sees; null while the reason for a wait is shown. */
  let shown: string | undefined | null;
  const options: Following = {
    ...given,
    onWaiting(waiting) {
      shown = null;
      onWaiting?.(waiting);
    },
  };
  for (;;) {
    const { status } = task;
    const message = textOr(task.statusMessage);
    if (message !== shown) onProgress?.({ message });
    shown = message;
    switch (status) {
      case "completed":
        return isRecord(task.result) ? task.result : unreadable("its task has no result");
      case "failed": {
        const error = isRecord(task.error) ? task.error : {};
        if (isRecord(error.data)) throw new RpcFailure(String(error.message), Number(error.code), error.data);
        throw new NotDone({ kind: "failed", message: String(error.message ?? message ?? "The task failed.") });
      }
      case "cancelled":
        throw new NotDone({ kind: "cancelled", message: message ?? "The call was cancelled" });
      case "input_required": {
        if (!isRecord(task.inputRequests)) return unreadable("its task has no questions");
        const inputResponses = await answersTo(task.inputRequests, options);
        await patiently(() => mcp.request("tasks/update", { taskId, inputResponses }, polling(options)), options);
        break;
      }
      default:
        await pause(Number(task.pollIntervalMs) || RETRY_MS, signal);
    }
    task = (await patiently(() => mcp.request("tasks/get", { taskId }, polling(options)), options)).result;
  }
}

/** Every request of a task declares what the call has declared. */
function declared({ extensions }: Following): RequestOptions["extensions"] {
  return { ...extensions, ...TASKS };
}

function polling(options: Following): RequestOptions {
  const { signal, ask } = options;
  return { signal, ask, extensions: declared(options), timeoutMs: POLL_MS };
}

/** Tries again for as long as there is no connection: the task goes on without it. */
async function patiently<Result>(work: () => Promise<Result>, { signal, onWaiting }: Following): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const ms = waitAfter(error, tries);
      if (ms === undefined) throw error;
      onWaiting?.({ ms, why: `${(error as Error).message} The call goes on meanwhile.` });
      await pause(ms, signal);
    }
  }
}

/** @returns milliseconds; undefined if trying again does not help */
function waitAfter(error: unknown, tries: number): number | undefined {
  if (error instanceof NeedsCredential) return undefined;
  if (error instanceof Refused) return error.status === 429 ? (error.retryAfterMs ?? MAX_PAUSE_MS) : undefined;
  return error instanceof Unreachable ? RETRY_MS * 2 ** Math.min(tries, 4) : undefined;
}

/** Rejects with the reason of the signal as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const time = Math.min(Math.max(ms, MIN_PAUSE_MS), MAX_PAUSE_MS);
  return raced(new Promise((resolve) => setTimeout(resolve, time)), signal);
}
