/** Wraps `execute` for calls with a callback: sends a message when the call has ended. */
import { describeError } from "../../core/lib/log.ts";
import type { Call } from "../../core/model/call.ts";
import type { CallResult } from "../../core/model/call-result.ts";
import { hasRun, type Issue, isFinal } from "../../core/model/outcome.ts";
import { isIdentified, partitionOf } from "../../core/model/principal.ts";
import type { Callback, Callbacks, NewEvent } from "../../core/ports/outbox.ts";
import type { Runtime } from "../../core/ports/runtime.ts";
import { fullInWords, isFull } from "./quota.ts";
import { readCallback } from "./read-callback.ts";

type Execute = (call: Call, runtime: Runtime) => Promise<CallResult>;

const CALL_FINISHED = "call.finished";
export const NAMELESS = "Only callers with a credential of their own can have a callback";

export function withCallbacks(execute: Execute): Execute {
  return (call, runtime) => {
    const { callbacks } = runtime;
    const raw = call.callback;
    if (raw === undefined || raw === null || callbacks === undefined) return execute(call, runtime);
    // Only for identified callers: otherwise anyone could have messages sent to anybody.
    const read = isIdentified(call.principal, runtime)
      ? readCallback(raw, "callback.", callbacks.allowedHosts)
      : { issues: [{ path: "callback", message: NAMELESS }] };
    if ("issues" in read) return Promise.resolve(invalid(read.issues));
    const finish = async () => {
      const full = await callbacks.full(partitionOf(call.principal));
      if (full) return invalid([{ path: "callback", message: `${fullInWords(full)}. Call later, or without it` }]);
      const result = await execute(call, runtime);
      await tell(callbacks, read.callback, call, result, runtime);
      return result;
    };
    const finishing = finish();
    // The message is sent even if the client disconnects after the tool has run.
    runtime.defer(finishing.catch(() => {}));
    return finishing;
  };
}

function invalid(issues: readonly Issue[]): CallResult {
  return { outcome: { kind: "invalid", issues }, durationMs: 0 };
}

/** Stores the message before the caller gets the result. If that fails, the caller gets the result nevertheless. */
async function tell(callbacks: Callbacks, callback: Callback, call: Call, result: CallResult, runtime: Runtime) {
  const { outcome, durationMs, entry, run } = result;
  const partition = partitionOf(call.principal);
  try {
    if (outcome.kind === "accepted") {
      const { id, expiresAt: expires } = outcome.task;
      const made = await callbacks.register(partition, callback, { id, expires, call: call.callId }, undefined);
      if (made === undefined) throw new RangeError("The task has too many callbacks");
      if (isFull(made)) throw new RangeError(fullInWords(made));
      return;
    }
    if (!hasRun(outcome) || entry === undefined) return;
    // The run of a long tool is its task.
    const task = entry.options.long ? run : undefined;
    // A repeat of a keyed call is the same event, unless the call may run again, or has run again: its key had expired.
    const key = isFinal(outcome) ? call.key : undefined;
    const { userId } = call.context;
    const about = [CALL_FINISHED, partition, entry.id, key, ...(userId ? [userId] : []), ...(run ? [{ run }] : [])];
    const id = (task ?? key) && `evt_${await runtime.signer.sign(JSON.stringify(about))}`;
    const event: NewEvent = { id, name: CALL_FINISHED, data: { tool: entry.id, status: outcome.kind } };
    const full = await callbacks.send(partition, callback, call.callId, event, { outcome, durationMs }, task);
    if (full) throw new RangeError(fullInWords(full));
  } catch (error) {
    const { callId } = call;
    runtime.log({ level: "error", message: "callback not stored", callId, error: describeError(error) });
  }
}
