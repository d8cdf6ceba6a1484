/** What the core needs from its environment, and the descriptions of what it runs. Types only. */
import type { Catalog } from "../catalog/catalog.ts";
import type { Signer } from "../crypto/signer.ts";
import type { ConcurrencyLimit } from "../lib/concurrency-limit.ts";
import type { Log } from "../lib/log.ts";
import type { Call, Caller, Granted } from "../model/call.ts";
import type { CallResult, TaskView } from "../model/call-result.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { CommonOptions } from "../model/definition.ts";
import type { Fault, Outcome } from "../model/outcome.ts";
import type { ToolContext } from "../model/tool-context.ts";
import type { ChangeFeed, Subscribed } from "./change-feed.ts";
import type { Files } from "./files.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import type { Callbacks, Outbox } from "./outbox.ts";
import type { Relay } from "./relay.ts";
import type { SessionStore } from "./session-store.ts";
import type { UriTemplates } from "./uri-templates.ts";

/** Everything that the core needs from its environment. Provided by the Worker or by a test. */
export interface Runtime {
  readonly catalog: Catalog;
  readonly idempotency: IdempotencyStore;
  readonly sessions: SessionStore;
  /** Undefined if calls of long tools have to end with their requests. */
  readonly tasks?: Tasks | undefined;
  /** Undefined if the deployment has no outbox: then nobody can subscribe to events. */
  readonly outbox?: Outbox | undefined;
  /** Undefined if the deployment has no outbox: then callbacks of calls and tasks are ignored. */
  readonly callbacks?: Callbacks | undefined;
  /** Undefined if the deployment stores no files: then none can be attached to a call. */
  readonly files?: Files | undefined;
  /**
   * Returns the subscription of a caller that wants to follow a resource; undefined if it must not learn of changes.
   * Absent if the fork has no resources.
   */
  readonly subscribable?: ((uri: string, by: ResourceCaller) => Subscribed | undefined) | undefined;
  /** Undefined if no resource has operators in its URI. */
  readonly uriTemplates?: UriTemplates | undefined;
  readonly signer: Signer;
  readonly relay: Relay;
  /** Limits how many calls of a principal wait for their users in an isolate; undefined for no limit. */
  readonly questions?: ConcurrencyLimit | undefined;
  readonly changeFeed: ChangeFeed;
  /** Keeps the isolate alive until a promise settles, even after the response was sent. */
  readonly defer: (work: Promise<unknown>) => void;
  readonly fetch: ToolContext["fetch"];
  /**
   * Counts a call under `key`.
   *
   * @returns whether it is within `perMinute`, counted per Cloudflare location
   */
  readonly rateLimit: (perMinute: number, key: string) => Promise<boolean>;
  readonly log: Log;
  /** Writes the audit line of each call; undefined if audit lines are turned off. */
  readonly logCall?: Log | undefined;
  /**
   * Set only under `npm start`: callers and the audit line get the details of a failure, which a deployment writes only
   * to its log.
   */
  readonly isLocal?: boolean | undefined;
  /**
   * Set only under `npm start`: the id of the running build. A result is not replayed to calls of a later build,
   * because the author may have edited the tool.
   */
  readonly buildId?: (() => string) | undefined;
  /** Undefined if the deployment makes no traces. */
  readonly tracer?: Tracer | undefined;
  /** Milliseconds; only differences matter. */
  readonly now: () => number;
  /** The Worker's own secret with this name. */
  readonly secret: (name: string) => string | undefined;
  /** The Worker's binding or variable with this name, for tools that declare it. */
  readonly binding: (name: string) => unknown;
}

export interface Tracer {
  /** Runs a call in a span of its own, which ends with it. */
  readonly inSpan: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /**
   * Describes the call in the current span, without input, results, messages, secrets and tokens.
   *
   * @param primitive undefined if the caller named something that does not exist or is hidden from it
   */
  readonly describe: (
    caller: Caller,
    primitive: Primitive | undefined,
    outcome: Outcome,
    replayed: true | undefined,
  ) => void;
}

/** A tool, prompt or resource to run: the parts that authorization and the log need. */
export interface Primitive {
  readonly id: string;
  /** Name in messages to callers; defaults to `id`. */
  readonly name?: string;
  readonly version?: string;
  readonly options: CommonOptions;
  /** Undefined for a tool. */
  readonly kind?: "prompt" | "resource";
  /** Key of its rate limit; defaults to `id`, which is unique among tools. */
  readonly rateKey?: string;
  readonly completion?: true;
}

/** The caller that asks for a resource, and the runtime, whose catalogue has only what the caller can see. */
export interface ResourceCaller extends Pick<Caller, "principal" | "toolkit"> {
  readonly runtime: Runtime;
}

/** The caller that asks about a task, and the runtime, whose catalogue has only what the caller can see. */
export interface TaskCaller {
  readonly caller: Pick<Caller, "principal" | "toolkit">;
  readonly runtime: Runtime;
}

/** A call of a long tool that was authorized and parsed. */
export interface LongCall {
  readonly caller: Call;
  readonly primitive: CatalogEntry;
  readonly granted: Granted;
  readonly runtime: Runtime;
  /** Runs the tool's `prepare`; undefined if it has none. */
  readonly prepare: (() => Promise<Prepared | { readonly outcome: Outcome }>) | undefined;
}

/** What a tool's `prepare` returned, as JSON. */
export interface Prepared {
  readonly value: unknown;
  readonly sawSession: boolean;
}

/**
 * The tasks of a deployment. A task that belongs to another caller, or whose tool is hidden from the caller, is treated
 * as one that does not exist.
 */
export interface Tasks {
  /**
   * Carries out a call: joins the task of an earlier call, or starts one. Waits for the result, but not longer than a
   * request should take, and not at all for a caller that follows the task itself. Never rejects.
   */
  carryOut(call: LongCall): Promise<CallResult>;
  /** The result for a call that will not run itself; undefined if no call with its key has begun. Never rejects. */
  recall(
    call: Omit<LongCall, "granted" | "prepare"> & { readonly granted: Pick<Granted, "fromCaller"> },
  ): Promise<CallResult | undefined>;
  /** Waits for the task of an earlier call of this tool. Never rejects. */
  resume(id: string, entry: CatalogEntry, caller: Caller, runtime: Runtime): Promise<CallResult>;
  /**
   * Reads a task for its caller, with its result if it has ended. From then on, repeating a call without a key starts a
   * new task.
   *
   * @returns undefined if there is no such task
   */
  read(id: string, by: TaskCaller): Promise<TaskView | undefined>;
  /**
   * Like {@link read}, but does not count as delivery of the result, and holds back a large one.
   *
   * @param withResult by default true
   */
  look(id: string, by: TaskCaller, withResult?: boolean): Promise<TaskView | undefined>;
  /**
   * @param answers unchecked, by the names of their questions. Answers with other names are ignored
   * @returns false if there is no such task; the fault if there is no room to store them
   */
  answer(id: string, answers: ReadonlyMap<string, unknown>, by: TaskCaller): Promise<boolean | Fault>;
  /**
   * Cancels a task, unless it has ended.
   *
   * @returns false if there is no such task
   */
  cancel(id: string, by: TaskCaller): Promise<boolean>;
  /**
   * Makes each change of a task be published to the change feed.
   *
   * @returns false if there is no such task
   */
  watch(id: string, by: TaskCaller): Promise<boolean>;
}
