/** Tasks, as the pipeline and the protocols use them. Types only. */
import type { Call, Caller, Granted } from "../model/call.ts";
import type { CallResult, TaskView } from "../model/call-result.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Runtime } from "./runtime.ts";

/** Who asks about a task, with the catalogue that they see. */
export interface TaskCaller {
  readonly caller: Pick<Caller, "principal" | "toolkit">;
  readonly runtime: Runtime;
}

/** A call of a long tool that was authorized and parsed. */
export interface LongCall {
  readonly caller: Call;
  readonly offer: CatalogEntry;
  readonly granted: Granted;
  readonly runtime: Runtime;
  /** Runs the tool's `prepare`, whose result is the value of the outcome; undefined if it has none. */
  readonly prepare: (() => Promise<Outcome>) | undefined;
}

/**
 * What a deployment does with tasks. If a task is not the caller's, or its tool is hidden from the caller, it is as if
 * the task did not exist.
 */
export interface Tasks {
  /**
   * Carries out a call: joins the task of an earlier call, or starts one. Waits for the result, but not longer than a
   * request should take, and not at all for a caller that follows the task itself. Never rejects.
   */
  carryOut(call: LongCall): Promise<CallResult>;
  /** The result of a call that will not run, if a call with its key has begun; else undefined. Never rejects. */
  recall(
    call: Omit<LongCall, "granted" | "prepare"> & { readonly granted: Pick<Granted, "fromCaller"> },
  ): Promise<CallResult | undefined>;
  /** Waits for the task of an earlier call of this tool. Never rejects. */
  resume(id: string, entry: CatalogEntry, caller: Caller, runtime: Runtime): Promise<CallResult>;
  /** @returns undefined if there is no such task */
  read(id: string, by: TaskCaller): Promise<TaskView | undefined>;
  /**
   * @param answers unchecked, by the names of their questions. Those of other names are ignored
   * @returns false if there is no such task
   */
  answer(id: string, answers: ReadonlyMap<string, unknown>, by: TaskCaller): Promise<boolean>;
  /**
   * Cancels a task, unless it has ended.
   *
   * @returns false if there is no such task
   */
  cancel(id: string, by: TaskCaller): Promise<boolean>;
  /**
   * Has each change of a task published to the change feed, as a change of the resource {@link taskUri}.
   *
   * @returns false if there is no such task
   */
  watch(id: string, by: TaskCaller): Promise<boolean>;
}

/** With a space, so that no resource has such a URI. */
const TASK_URI = "task ";

/** The name under which changes of a task are published, in place of a resource's URI. */
export function taskUri(id: string): string {
  return TASK_URI + id;
}

/** @returns the id of the task; undefined if it is the URI of a resource */
export function taskOfUri(uri: string): string | undefined {
  return uri.startsWith(TASK_URI) ? uri.slice(TASK_URI.length) : undefined;
}
