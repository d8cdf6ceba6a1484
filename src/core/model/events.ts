/** Events, which tools emit and clients subscribe to. Types only; authors get them from `src/tool.ts`. */
import type { Demands } from "./definition.ts";
import type { InferInput, StandardSchema } from "./schema.ts";

/** How a client gets events: it asks, it holds a stream open, or they are sent to its URL (SEP-3415, Delivery modes). */
export type DeliveryMode = "poll" | "push" | "webhook";

/** An event with its type parameters erased, as the catalogue holds it. */
export interface EventDefinition {
  readonly name: string;
  readonly description: string;
  readonly payload: StandardSchema;
  readonly input?: StandardSchema | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly delivery?: readonly DeliveryMode[] | undefined;
  matches?(args: never, data: never): boolean | Promise<boolean>;
}

/** An event as the generated module lists it. */
export interface EventEntry {
  /** `notes.changed` */
  readonly name: string;
  /** Folder name; undefined for an event of the server itself. */
  readonly toolkit: string | undefined;
  readonly about: {
    readonly description: string;
    readonly delivery: readonly DeliveryMode[];
    /** JSON Schema of the arguments. */
    readonly inputSchema: Readonly<Record<string, unknown>>;
    /** JSON Schema of the data. */
    readonly payloadSchema: Readonly<Record<string, unknown>>;
  };
  readonly traits: Demands;
  readonly load: () => Promise<{ default: EventDefinition }>;
}

/** What the context of a tool has besides, in a deployment with an outbox. */
export interface EventContext {
  /**
   * Says that something has happened, to the caller's own subscribers and to nobody else's. Resolves as soon as the
   * event is kept: from then on, it is delivered even if the call fails. A caller without a credential has no
   * subscribers, so its events are dropped.
   *
   * @param data    what the event's `payload` accepts
   * @param options `id`: of the event at its source, 1 to 200 visible ASCII characters. An event with the id of an
   *                earlier one is not told again. By default, a keyed call that runs again gives its events the same ids
   * @throws {TypeError} if the data or the id do not fit, or no file in tools/ declares the event
   * @throws {RangeError} if the event has more than 256 KiB
   */
  emit<Payload extends StandardSchema>(
    event: { readonly name: string; readonly payload: Payload },
    data: InferInput<Payload>,
    options?: { readonly id?: string | undefined },
  ): Promise<void>;
}
