/** What the core needs from its environment, and the description of what it runs. Types only. */
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
  /** Undefined if the deployment has no outbox: nothing can subscribe to events. */
  readonly outbox?: Outbox | undefined;
  /** Undefined without an outbox: callbacks of calls and tasks are ignored. */
  readonly callbacks?: Callbacks | undefined;
  /** Undefined if the deployment stores no files: none can be attached to a call. */
  readonly files?: Files | undefined;
  /**
   * What a caller that wants to follow a resource subscribes to: undefined if it must not know of its changes. No member
   * if the fork has no resources.
   */
  readonly subscribable?: ((uri: string, by: ResourceCaller) => Subscribed | undefined) | undefined;
  /** Undefined if no resource has operators in its URI. */
  readonly uriTemplates?: UriTemplates | undefined;
  readonly signer: Signer;
  readonly relay: Relay;
  /** Limits how many questions of a principal wait for answers in an isolate; undefined for no limit. */
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
  /** Writes the audit line of each call; undefined if they are turned off. */
  readonly logCall?: Log | undefined;
  /**
   * Set under `npm start` only: callers and the audit line get the details of a failure, which a deployment keeps to
   * its log.
   */
  readonly isLocal?: boolean | undefined;
  /**
   * Set under `npm start` only: the id of the build that runs. A result is not replayed to calls of another build, whose
   * tool has been edited since.
   */
  readonly buildId?: (() => string) | undefined;
  /** Undefined if the deployment makes no traces. */
  readonly tracer?: Tracer | undefined;
  /** Milliseconds; only differences matter. */
  readonly now: () => number;
  /** The Worker's own secret of that name. */
  readonly secret: (name: string) => string | undefined;
  /** The Worker's binding or variable of that name, for tools that declare it. */
  readonly binding: (name: string) => unknown;
}

/** Makes a span for each call. */
export interface Tracer {
  /** Runs a call in a span of its own, which ends with it. */
  readonly inSpan: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /**
   * Describes the call in the current span. No input, result, message, secret or token.
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
  /** Set if the call only asks for a completion. */
  readonly completion?: true;
}

/** Who asks for a resource, with the catalogue that they see. */
export interface ResourceCaller extends Pick<Caller, "principal" | "toolkit"> {
  readonly runtime: Runtime;
}

/** Who asks about a task, with the catalogue that they see. */
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
  /** Whether it accessed the session. */
  readonly sawSession: boolean;
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
  /**
   * Gives a task to its caller, with its result if it has ended: then a call without a key that is repeated is a new one.
   *
   * @returns undefined if there is no such task
   */
  read(id: string, by: TaskCaller): Promise<TaskView | undefined>;
  /** As {@link read}, for those who do not give the result to the caller. */
  look(id: string, by: TaskCaller): Promise<TaskView | undefined>;
  /**
   * @param answers unchecked, by the names of their questions. Those of other names are ignored
   * @returns false if there is no such task; the fault if there is no room to keep them
   */
  answer(id: string, answers: ReadonlyMap<string, unknown>, by: TaskCaller): Promise<boolean | Fault>;
  /**
   * Cancels a task, unless it has ended.
   *
   * @returns false if there is no such task
   */
  cancel(id: string, by: TaskCaller): Promise<boolean>;
  /**
   * Has each change of a task published to the change feed.
   *
   * @returns false if there is no such task
   */
  watch(id: string, by: TaskCaller): Promise<boolean>;
}
