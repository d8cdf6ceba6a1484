/** How open streams hear that there is an event to read: as a change of a resource that has no such URI. */
import { describeError } from "../lib/log.ts";
import type { Outbox } from "../ports/outbox.ts";
import type { Runtime } from "../ports/runtime.ts";

/** With a space, so that no resource has such a URI. */
const EVENT_URI = "event ";

/**
 * The name under which an event is published to the change feed.
 *
 * @param partition of the principal whose event it is
 */
export function eventUri(partition: string, name: string): string {
  return `${EVENT_URI}${name} ${partition}`;
}

/** An outbox that also publishes each event that it has kept. A stream that cannot be told reads the event later. */
export function withNews<Kind extends Outbox>(
  outbox: Kind,
  { changeFeed, defer, log }: Pick<Runtime, "changeFeed" | "defer" | "log">,
): Kind {
  return {
    ...outbox,
    async emit(partition, event, ended) {
      const id = await outbox.emit(partition, event, ended);
      const telling = changeFeed.publish({ of: "resource", uri: eventUri(partition, event.name) });
      defer(
        telling.catch((error) => log({ level: "error", message: "event not published", error: describeError(error) })),
      );
      return id;
    },
  };
}
