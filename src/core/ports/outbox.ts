/**
 * The outbox, as the pipeline and the protocols use it: the events of a principal, who subscribes to them, and what is
 * delivered to receivers. Types only.
 */
import type { Json } from "../lib/json.ts";
import type { Principal } from "../model/principal.ts";

/** Largest body of a delivery, in bytes (MCP Events, Delivery profile). */
export const MAX_BODY_BYTES = 262_144;

/** Something that has happened. */
export interface NewEvent {
  /** As the event is declared: `notes.changed`. */
  readonly name: string;
  readonly data: Readonly<Record<string, Json>>;
  /** A stable id of its source, so that the same event is not told twice. Default: a new one. */
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
  /** `whsec_` and base64 of 24 to 64 bytes. Another one than before replaces it, which both then sign for a while. */
  readonly secret: string;
  /** The lifetime that the client suggests, in milliseconds; null for one without end; undefined if it does not say. */
  readonly ttlMs: number | null | undefined;
}

/** Why a receiver could not be reached, in the words of MCP Events (Webhook Delivery Status). */
export type DeliveryProblem =
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx"
  | "challenge_failed";

export type Subscribed =
  | {
      readonly state: "subscribed";
      /** Derived from the key. */
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
  /** The receiver did not echo the challenge, or could not be reached. */
  | { readonly state: "unverified"; readonly problem: DeliveryProblem }
  /** The URL is one that nothing is sent to: not https, or in a private network. */
  | { readonly state: "refused"; readonly message: string }
  | { readonly state: "full"; readonly max: number };

/** A callback of the gateway document: one message to a URL. */
export interface Callback {
  readonly url: string;
  /** Sent back as `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Signs: 32 to 256 characters. */
  readonly secret?: string | undefined;
}

/** Events and deliveries, in an outbox for each principal. Each method may be called again if its response was lost. */
export interface Outbox {
  /** Keeps an event before anyone is told. @returns its id. @throws {RangeError} if it is over {@link MAX_BODY_BYTES} */
  emit(partition: string, event: NewEvent): Promise<string>;
  /** Events of a principal, oldest first. */
  read(partition: string, filter: EventFilter, from: From & { readonly limit: number }): Promise<EventPage>;
  subscribe(principal: Principal, subscription: NewSubscription): Promise<Subscribed>;
  /** @returns false if there is no such subscription */
  unsubscribe(principal: Principal, key: EventFilter & { readonly url: string }): Promise<boolean>;
}
