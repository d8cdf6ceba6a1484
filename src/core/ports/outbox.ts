/**
 * The outbox, as the pipeline and the protocols use it: the events of a principal, its subscriptions to them, and the
 * deliveries to receivers. Types, and the event at the end of a task.
 */
import type { Json } from "../lib/json.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Principal } from "../model/principal.ts";

/** Largest body of a delivery, in bytes (MCP Events, Delivery profile). */
export const MAX_DELIVERY_BYTES = 262_144;

/** An event before the outbox has stored it. */
export interface NewEvent {
  /** The declared name: `notes.changed`. */
  readonly name: string;
  readonly data: Readonly<Record<string, Json>>;
  /** The event's id at its source: a second event with the same id is ignored. Default: a new id. */
  readonly id?: string | undefined;
}

/** An event as receivers get it. */
export interface EventOccurrence extends NewEvent {
  readonly id: string;
  /** When it happened, in milliseconds since 1970. */
  readonly occurred: number;
  /** The position after this event among the events of its principal. */
  readonly cursor: string;
}

export interface Full {
  readonly full: "bytes" | "waiting" | "rate";
  /** When it may accept more, in milliseconds from now. */
  readonly retryAfterMs: number;
}

/** Chooses the events that a subscriber gets. */
export interface EventFilter {
  readonly name: string;
  /** Valid for the event's input schema. */
  readonly args: Readonly<Record<string, Json>>;
}

/** The position to begin from. */
export interface From {
  /** A position from the outbox; null to begin now. */
  readonly cursor: string | null;
  /** Leaves out events that are older, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
}

export interface EventPage {
  readonly events: readonly EventOccurrence[];
  readonly cursor: string;
  /** Whether events between the requested cursor and these are missing: they are no longer stored, or were too old. */
  readonly isTruncated: boolean;
  readonly hasMore: boolean;
}

/** A subscription whose events are sent to a URL. Its key is the principal, the URL, the name and the arguments. */
export interface NewSubscription extends EventFilter, From {
  /** https. */
  readonly url: string;
  /** `whsec_` and Base64 of 24 to 64 bytes. A new secret replaces the earlier one; for a while, both sign. */
  readonly secret: string;
  /** The lifetime that the client suggests, in milliseconds; null if it wants no end; undefined if it does not say. */
  readonly ttlMs: number | null | undefined;
}

/**
 * Why a message did not arrive, in the words of MCP Events (Webhook Delivery Status). We added `redirect`, because a
 * redirect does not mean that the request was wrong, as `http_4xx` would say.
 */
export type DeliveryProblem =
  | "redirect"
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

export type Subscribed =
  | {
      readonly state: "subscribed";
      /** Derived from the key of the subscription. */
      readonly id: string;
      /** When it ends unless it is renewed, in milliseconds since 1970. */
      readonly expires: number;
      /** Every event up to this position has arrived, or was given up. */
      readonly cursor: string;
      readonly isTruncated: boolean;
      readonly delivery?:
        | {
            /** Whether events were being sent when this request arrived. */
            readonly isActive: boolean;
            readonly lastDelivered: number | undefined;
            readonly lastProblem: DeliveryProblem | undefined;
            readonly failingSince: number | undefined;
          }
        | undefined;
    }
  /** The receiver did not echo the challenge, or could not be reached. The message says what happened. */
  | { readonly state: "unverified"; readonly problem: DeliveryProblem; readonly message: string }
  /** Nothing is sent to such a URL: it is not https, or is in a private network. */
  | { readonly state: "refused"; readonly message: string }
  | { readonly state: "full"; readonly max: number };

/** Where to send a message when a call or a task has ended. */
export interface Callback {
  readonly url: string;
  /** Sent with the message as `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Signs the message; 32 to 256 characters. */
  readonly secret?: string | undefined;
}

/** How a call or a task ended. Messages to callbacks contain it; events do not. */
export interface Ended {
  readonly outcome: Outcome;
  readonly durationMs: number;
}

/** The events of principals; each has its own outbox. Each method may be called again if its response was lost. */
export interface Outbox {
  /**
   * Stores an event. Deliveries start afterwards.
   *
   * @param ended for the event at the end of a task: how the task ended, or that its result has no room in a message
   * @returns the event's id
   * @throws {RangeError} if it is over {@link MAX_DELIVERY_BYTES}
   * @throws {ToolError} if the outbox is full
   */
  emit(partition: string, event: NewEvent, ended?: Ended | "too_large"): Promise<string>;
  /** Events of a principal, oldest first. */
  read(partition: string, filter: EventFilter, from: From & { readonly limit: number }): Promise<EventPage>;
  subscribe(principal: Principal, subscription: NewSubscription): Promise<Subscribed>;
  /** @returns false if there is no such subscription */
  unsubscribe(principal: Principal, key: EventFilter & { readonly url: string }): Promise<boolean>;
}

/** The end of a task that ended before its callback was registered. */
export interface PastEnd {
  readonly event: NewEvent;
  readonly ended: Ended | "too_large";
}

/** The event at the end of each task. Its data is `{task_id, tool, status}`. */
export const TASK_FINISHED = "task.finished";

/** The event at the end of a task. @param task the task's id @param tool `Toolkit.Tool` */
export function finishedTaskEvent(task: string, tool: string, status: string): NewEvent & { readonly id: string } {
  return { id: finishedTaskEventId(task), name: TASK_FINISHED, data: { task_id: task, tool, status } };
}

export function finishedTaskEventId(task: string): string {
  return `evt_${task}`;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly hasSecret: boolean;
  readonly hasToken: boolean;
}

/** A message to a receiver. It stays listed for a while after it has arrived or was given up. */
export interface Delivery {
  readonly id: string;
  /** The callback or subscription that it belongs to. */
  readonly webhook: string;
  readonly url: string | undefined;
  readonly event: string;
  readonly type: string;
  readonly state: "waiting" | "delivered" | "dead";
  /** How many attempts were made, including the one that succeeded. */
  readonly attempts: number;
  /** When the next attempt is due, or when it arrived or was given up, in milliseconds since 1970. */
  readonly at: number;
  readonly problem: DeliveryProblem | undefined;
  /** A message that says why it was given up. */
  readonly reason: string | undefined;
}

export interface DeliveryFilter {
  /** Only deliveries of this callback of this task. */
  readonly of?: { readonly webhook: string; readonly task: string } | undefined;
  readonly state?: Delivery["state"] | undefined;
}

/** The callbacks of a principal's calls and tasks. Each method may be called again if its response was lost. */
export interface Callbacks {
  /** Hosts in private networks that callbacks may use anyway. */
  readonly allowedHosts: readonly string[];
  /** @returns why the outbox accepts no further message now; undefined if it does */
  full(partition: string): Promise<Full | undefined>;
  /**
   * Sends a message about a call that has ended. The same event is sent to a URL only once.
   *
   * @param task the id of the task that the call was, if any: a URL that is a callback of the task gets no second message
   * @returns why it is not sent, if the outbox is full
   */
  send(
    partition: string,
    callback: Callback,
    call: string,
    event: NewEvent,
    ended: Ended,
    task: string | undefined,
  ): Promise<Full | undefined>;
  /**
   * Sends a message when a task ends.
   *
   * @param task `expires`: when the task is deleted, in milliseconds since 1970. `call`: the id of the call that became
   *             the task, if its caller sent the callback with that call
   * @param past the end of the task, if it has already ended: then the message is sent at once
   * @returns undefined if the task has too many callbacks; why it was not registered, if the outbox is full
   */
  register(
    partition: string,
    callback: Callback,
    task: { readonly id: string; readonly expires: number; readonly call?: string | undefined },
    past: PastEnd | undefined,
  ): Promise<Webhook | Full | undefined>;
  /** Keeps the callbacks of a task for longer. @param expires when the task is deleted, in milliseconds since 1970 */
  extend(partition: string, task: string, expires: number): Promise<void>;
  list(partition: string, task: string): Promise<readonly Webhook[]>;
  /** The newest first, up to 1,000. @returns undefined if there is no such callback */
  deliveries(partition: string, filter: DeliveryFilter): Promise<readonly Delivery[] | undefined>;
  /**
   * Sends a message again that was given up, has arrived, or waits for its next attempt.
   *
   * @returns false if there is no such delivery, or its receiver is no longer known; why it is not sent, if the outbox
   *          is full
   */
  redeliver(partition: string, delivery: string, of: DeliveryFilter["of"]): Promise<boolean | Full>;
}
