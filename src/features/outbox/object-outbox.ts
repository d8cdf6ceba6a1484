/** The outbox on Durable Objects: one object for each principal. */

import { randomId } from "../../core/crypto/encoding.ts";
import type { Signer } from "../../core/crypto/signer.ts";
import { canonical, type Json } from "../../core/lib/json.ts";
import { toolFailure } from "../../core/model/outcome.ts";
import { partitionOf } from "../../core/model/principal.ts";
import {
  type Callback,
  type Callbacks,
  type Ended,
  type Full,
  finishedTaskEventId,
  MAX_DELIVERY_BYTES,
  type NewEvent,
  type Outbox,
} from "../../core/ports/outbox.ts";
import { fitting, OMITTED, resultOf } from "../../protocols/oxp/message.ts";
import { type Retry, retryStub } from "../../stores/retry-stub.ts";
import { bodyOf } from "./object/compose-message.ts";
import type { SentEvent } from "./object/outbox-core.ts";
import type { SubscriptionName, Subscriptions } from "./object/subscriptions.ts";
import type { SentCallback, Webhooks } from "./object/webhooks.ts";
import { fullInWords, isFull } from "./quota.ts";

/** The methods of an outbox's Durable Object (object/outbox-object.ts). */
export interface OutboxObject
  extends Pick<Subscriptions, "read" | "subscribe" | "unsubscribe">,
    Pick<Webhooks, "full" | "send" | "register" | "extend" | "list" | "deliveries" | "redeliver"> {
  emit(partition: string, event: SentEvent): Promise<string | Full>;
}

export type OutboxObjects = DurableObjectNamespace<OutboxObject & Rpc.DurableObjectBranded>;

/** An error that the object itself has thrown is not retried: it would be thrown again. */
const ONCE_MORE: Retry = { tries: 2, waitMs: 0, isHopeless: ({ overloaded, remote }) => overloaded || remote };

/** A stand-in with as many digits as any cursor: the size of a body is checked before its cursor is known. */
const SOME_CURSOR = "0".repeat(16);

/** @param allowedHosts hosts in a private network that a callback may be on */
export function objectOutbox(
  objects: OutboxObjects,
  signer: Signer,
  allowedHosts: readonly string[],
): Outbox & Callbacks {
  const ask = <Answer>(partition: string, work: (outbox: OutboxObject) => Promise<Answer>): Promise<Answer> => {
    const outbox = () => objects.getByName(partition) as unknown as OutboxObject;
    return retryStub(outbox, work, ONCE_MORE);
  };
  const sign = (...parts: readonly unknown[]) => signer.sign(canonical(["outbox", ...parts]));
  const nameOf = async (partition: string, url: string, ...key: readonly unknown[]): Promise<SubscriptionName> => {
    const host = URL.canParse(url) ? new URL(url).host : "";
    const [id, urlHash, hostHash] = await Promise.all([
      sign("subscription", partition, url, ...key),
      sign("url", partition, url),
      sign("host", partition, host),
    ]);
    return { id, url: urlHash, host: hostHash };
  };
  const callbackOf = async (
    partition: string,
    { url, secret, token }: Callback,
    call: string | undefined,
    ...key: readonly string[]
  ): Promise<SentCallback> => ({ name: await nameOf(partition, url, ...key), content: { url, secret, token, call } });

  return {
    allowedHosts,
    async emit(partition, event, ended) {
      const sent = await sentEvent(event, ended);
      const kept = await ask(partition, (outbox) => outbox.emit(partition, sent));
      if (isFull(kept))
        throw toolFailure({ message: fullInWords(kept), canRetry: true, retryAfterMs: kept.retryAfterMs });
      return kept;
    },
    read: (partition, filter, from) => ask(partition, (outbox) => outbox.read(partition, filter, from)),
    async subscribe(principal, wanted) {
      const partition = partitionOf(principal);
      const name = await nameOf(partition, wanted.url, "events", wanted.name, wanted.args);
      return ask(partition, (outbox) => outbox.subscribe(partition, name, wanted));
    },
    async unsubscribe(principal, { url, name, args }) {
      const partition = partitionOf(principal);
      const { id } = await nameOf(partition, url, "events", name, args);
      return ask(partition, (outbox) => outbox.unsubscribe(partition, id));
    },
    full: (partition) => ask(partition, (outbox) => outbox.full(partition)),
    async send(partition, callback, call, event, ended, task) {
      const sent = await sentEvent(event, ended);
      const to = await callbackOf(partition, callback, call, "call", sent.id);
      const ofTask = task === undefined ? undefined : await nameOf(partition, callback.url, "task", task);
      return ask(partition, (outbox) => outbox.send(partition, to, sent, ofTask?.id));
    },
    async register(partition, callback, { id, expires, call }, past) {
      const to = await callbackOf(partition, callback, call, "task", id);
      const task = { id, expires, event: finishedTaskEventId(id) };
      const event = past && (await sentEvent(past.event, past.ended));
      return ask(partition, (outbox) => outbox.register(partition, to, task, event));
    },
    extend: (partition, task, expires) => ask(partition, (outbox) => outbox.extend(task, expires)),
    list: (partition, task) => ask(partition, (outbox) => outbox.list(partition, task)),
    deliveries: (partition, filter) => ask(partition, (outbox) => outbox.deliveries(partition, filter)),
    redeliver: (partition, delivery, of) => ask(partition, (outbox) => outbox.redeliver(partition, delivery, of)),
  };
}

/** @throws {RangeError} if the event is too large to be delivered */
async function sentEvent({ id, name, data }: NewEvent, ended?: Ended | "too_large"): Promise<SentEvent> {
  const event = { id: id ?? `evt_${randomId()}`, name, data, isSourced: id !== undefined };
  const body = bodyOf({ ...event, occurred: 0, cursor: SOME_CURSOR });
  if (new TextEncoder().encode(body).length > MAX_DELIVERY_BYTES)
    throw new RangeError(`The event ${name} is larger than ${MAX_DELIVERY_BYTES} bytes`);
  if (ended === "too_large") return { ...event, result: OMITTED };
  const result: Json | undefined = ended && fitting(await resultOf(ended.outcome, ended.durationMs));
  return { ...event, result };
}
