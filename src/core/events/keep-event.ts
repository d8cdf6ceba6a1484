/** Keeps an event in the outbox of its principal, and tells the open streams. */
import { describeError } from "../lib/log.ts";
import type { NewEvent } from "../ports/outbox.ts";
import type { Runtime } from "../ports/runtime.ts";
import { eventUri } from "./event-news.ts";

/** Rejects if the event could not be kept. A stream that cannot be told reads the event later. */
export async function keepEvent(runtime: Runtime, partition: string, event: NewEvent): Promise<void> {
  const { outbox, changeFeed, defer, log } = runtime;
  if (outbox === undefined) {
    throw new Error(`The event ${event.name} was not kept: the Worker has no binding OUTBOX (docs/events.md)`);
  }
  await outbox.emit(partition, event);
  const telling = changeFeed.publish({ of: "resource", uri: eventUri(partition, event.name) });
  defer(telling.catch((error) => log({ level: "error", message: "event not published", error: describeError(error) })));
}
