/** What the core needs from its environment, and the description of what it runs. Types only. */
import type { Catalog } from "../catalog/catalog.ts";
import type { Log } from "../lib/log.ts";
import type { Turns } from "../lib/turns.ts";
import type { Caller } from "../model/call.ts";
import type { Demands, ToolContext } from "../model/definition.ts";
import type { Outcome } from "../model/outcome.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { Files } from "./files.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import type { Callbacks, Outbox } from "./outbox.ts";
import type { Relay } from "./relay.ts";
import type { SessionStore } from "./session-store.ts";
import type { Signer } from "./signed-handles.ts";
import type { Tasks } from "./tasks.ts";
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
  /** Undefined if no resource has operators in its URI. */
  readonly uriTemplates?: UriTemplates | undefined;
  readonly signer: Signer;
  readonly relay: Relay;
  /** Limits how many questions of a principal wait for answers in an isolate; undefined for no limit. */
  readonly questions?: Turns | undefined;
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
   * @param offer undefined if the caller named something that does not exist or is hidden from it
   */
  readonly describe: (caller: Caller, offer: Offer | undefined, outcome: Outcome, replayed: true | undefined) => void;
}

/** A tool, prompt or resource to run: the parts that authorization and the log need. */
export interface Offer {
  readonly id: string;
  /** Name in messages to callers; defaults to `id`. */
  readonly name?: string;
  readonly version?: string;
  readonly traits: Demands;
  /** Undefined for a tool. */
  readonly kind?: "prompt" | "resource";
  /** Key of its rate limit; defaults to `id`, which is unique among tools. */
  readonly rateKey?: string;
  /** Set if the call only asks for a completion. */
  readonly completion?: true;
}
