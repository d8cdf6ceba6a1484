/**
 * The outbox, as the pipeline and the protocols use it: the events of a principal, who subscribes to them, and what is
 * delivered to receivers.
 */
import type { Json } from "../lib/json.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Principal } from "../model/principal.ts";

/** Largest body of a delivery, in bytes (MCP Events, Delivery profile). */
export const MAX_DELIVERY_BYTES = 262_144;

/** Something that has happened. */
export interface NewEvent {
  /** As the event is declared: `notes.changed`. */
  readonly name: string;
  readonly data: Readonly<Record<string, Json>>;
  /** The id that it has at its source: a second event with the same id is ignored. Default: a new id. */
  readonly id?: string | undefined;
}

/** An event as receivers get it. */
export interface EventOccurrence extends NewEvent {
  readonly id: string;
  /** When it happened, in milliseconds since 1970. */
  readonly occurred: number;
  /** The position after this event, in the events of its principal. */
  readonly cursor: string;
}

/** Why an outbox takes nothing more for now. */
export interface Full {
  readonly full: "bytes" | "waiting" | "rate";
  /** When it may take more, in milliseconds from now. */
  readonly retryAfterMs: number;
}

/** What a subscriber wants to hear of. */
export interface EventFilter {
  readonly name: string;
  /** Valid for the event's input schema. */
  readonly args: Readonly<Record<string, Json>>;
}

/** Where to begin. */
export interface From {
  /** A position that the outbox has given; null for now. */
  readonly cursor: string | null;
  /** Events that happened longer ago, in milliseconds, are left out. */
  readonly maxAgeMs?: number | undefined;
}

export interface EventPage {
  readonly events: readonly EventOccurrence[];
  /** The position after these events. */
  readonly cursor: string;
  /** Whether events between the requested cursor and these are no longer known, or were too old. */
  readonly isTruncated: boolean;
  /** Whether more events are known. */
  readonly hasMore: boolean;
}

/** A subscription whose events are sent to a URL. Its key is the principal, the URL, the name and the arguments. */
export interface NewSubscription extends EventFilter, From {
  /** https. */
  readonly url: string;
  /** `whsec_` and base64 of 24 to 64 bytes. A new secret replaces the earlier one; for a while, both sign. */
  readonly secret: string;
  /** The lifetime that the client suggests, in milliseconds; null if it wants no end; undefined if it does not say. */
  readonly ttlMs: number | null | undefined;
}

/**
 * Why a message did not arrive, in the words of MCP Events (Webhook Delivery Status), and one more: a redirect is no
 * mistake of the request, as `http_4xx` would say.
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
      /** When it ends unless it is made again before, in milliseconds since 1970. */
      readonly expires: number;
      /** Every event up to here has arrived, or was given up. */
      readonly cursor: string;
      readonly isTruncated: boolean;
      /** Set if it existed before. */
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
  /** The receiver did not echo the challenge, or could not be reached. The message says what it did. */
  | { readonly state: "unverified"; readonly problem: DeliveryProblem; readonly message: string }
  /** The URL is one that nothing is sent to: not https, or in a private network. */
  | { readonly state: "refused"; readonly message: string }
  | { readonly state: "full"; readonly max: number };

/** Where to send one message: when a call or a task has ended. */
export interface Callback {
  readonly url: string;
  /** Sent back as `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Signs: 32 to 256 characters. */
  readonly secret?: string | undefined;
}

/** How a call or a task has ended. Messages to callbacks contain it; events do not. */
export interface Ended {
  readonly outcome: Outcome;
  readonly durationMs: number;
}

/** Events and deliveries, in an outbox for each principal. Each method may be called again if its response was lost. */
export interface Outbox {
  /**
   * Keeps an event before anyone is told.
   *
   * @param ended how the task ended, if that is the event
   * @returns its id
   * @throws {RangeError} if it is over {@link MAX_DELIVERY_BYTES}
   * @throws {ToolError} if the outbox is full
   */
  emit(partition: string, event: NewEvent, ended?: Ended): Promise<string>;
  /** Events of a principal, oldest first. */
  read(partition: string, filter: EventFilter, from: From & { readonly limit: number }): Promise<EventPage>;
  subscribe(principal: Principal, subscription: NewSubscription): Promise<Subscribed>;
  /** @returns false if there is no such subscription */
  unsubscribe(principal: Principal, key: EventFilter & { readonly url: string }): Promise<boolean>;
}

/** The event at the end of each task. Its data is `{task_id, tool, status}`. */
export const TASK_FINISHED = "task.finished";

/** The event at the end of a task. @param task its id. @param tool `Toolkit.Tool` */
export function finishedTaskEvent(task: string, tool: string, status: string): NewEvent & { readonly id: string } {
  return { id: finishedTaskEventId(task), name: TASK_FINISHED, data: { task_id: task, tool, status } };
}

/** @returns the id of the event at the end of a task */
export function finishedTaskEventId(task: string): string {
  return `evt_${task}`;
}

/** A callback that was registered for a task. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly hasSecret: boolean;
  readonly hasToken: boolean;
}

/** A message to a receiver, on its way or at its end. It is listed for a while after it has arrived or was given up. */
export interface Delivery {
  readonly id: string;
  /** The callback or subscription that it belongs to. */
  readonly webhook: string;
  readonly url: string | undefined;
  readonly event: string;
  /** Name of the event. */
  readonly type: string;
  readonly state: "waiting" | "delivered" | "dead";
  /** How many attempts have failed, or were made until it arrived. */
  readonly attempts: number;
  /** When it is attempted next, or when it arrived or was given up, in milliseconds since 1970. */
  readonly at: number;
  readonly problem: DeliveryProblem | undefined;
  /** Why it was given up, in words. */
  readonly reason: string | undefined;
}

/** Which deliveries to list. */
export interface DeliveryFilter {
  /** Only those of this callback, of this task. */
  readonly of?: { readonly webhook: string; readonly task: string } | undefined;
  readonly state?: Delivery["state"] | undefined;
}

/** The callbacks of a principal's calls and tasks, in its outbox. Each method may be called again. */
export interface Callbacks {
  /** Hosts in a private network that a callback may be on. */
  readonly allowedHosts: readonly string[];
  /** @returns why no further message is taken now; undefined if one is */
  full(partition: string): Promise<Full | undefined>;
  /**
   * Sends a message about a call that has ended. The same event is sent to a URL only once.
   *
   * @param task the id of the task that the call was, if it was one. If the task has callbacks, the message is theirs
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
   * @param expires when the task is forgotten, in milliseconds since 1970
   * @param call    id of the call that became the task, if its caller has sent the callback with it
   * @param past    the end of the task, if it has ended: it is told at once
   * @returns undefined if the task has too many; why there is none, if the outbox is full
   */
  register(
    partition: string,
    callback: Callback,
    task: { readonly id: string; readonly expires: number; readonly call?: string | undefined },
    past: (Ended & { readonly event: NewEvent }) | undefined,
  ): Promise<Webhook | Full | undefined>;
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
