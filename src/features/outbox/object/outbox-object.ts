/** The Durable Object that is the outbox of one principal. It only passes calls on to the parts of the outbox. */

import { DurableObject } from "cloudflare:workers";
import type { Full } from "../../../core/ports/outbox.ts";
import { log, runtime, send } from "../../../runtime.ts";
import { allowedHosts, outboxSettings } from "../deployed-settings.ts";
import { matcherFor } from "../events/match-event.ts";
import type { OutboxObject } from "../object-outbox.ts";
import { OutboxCore, type SentEvent } from "./outbox-core.ts";
import { Subscriptions } from "./subscriptions.ts";
import { Webhooks } from "./webhooks.ts";

export class Outbox extends DurableObject implements OutboxObject {
  readonly #core = new OutboxCore({
    storage: this.ctx.storage,
    signer: runtime.signer,
    matches: matcherFor(runtime.catalog.allEvents, log),
    attempts: { send, allowed: allowedHosts, limitMs: outboxSettings.attemptMs },
    settings: outboxSettings,
    log,
  });
  readonly #subscriptions = new Subscriptions(this.#core);
  readonly #webhooks = new Webhooks(this.#core);

  async emit(partition: string, event: SentEvent): Promise<string | Full> {
    return this.#core.emit(partition, event);
  }

  async read(...given: Parameters<Subscriptions["read"]>) {
    return this.#subscriptions.read(...given);
  }

  async subscribe(...given: Parameters<Subscriptions["subscribe"]>) {
    return this.#subscriptions.subscribe(...given);
  }

  async unsubscribe(partition: string, id: string): Promise<boolean> {
    return this.#subscriptions.unsubscribe(partition, id);
  }

  async full(partition: string) {
    return this.#webhooks.full(partition);
  }

  async send(...given: Parameters<Webhooks["send"]>) {
    return this.#webhooks.send(...given);
  }

  async register(...given: Parameters<Webhooks["register"]>) {
    return this.#webhooks.register(...given);
  }

  async extend(...given: Parameters<Webhooks["extend"]>) {
    return this.#webhooks.extend(...given);
  }

  async list(...given: Parameters<Webhooks["list"]>) {
    return this.#webhooks.list(...given);
  }

  async deliveries(...given: Parameters<Webhooks["deliveries"]>) {
    return this.#webhooks.deliveries(...given);
  }

  async redeliver(...given: Parameters<Webhooks["redeliver"]>) {
    return this.#webhooks.redeliver(...given);
  }

  override async alarm(): Promise<void> {
    await this.#core.alarm();
  }
}
