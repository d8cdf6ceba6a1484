/**
 * Publishes to the change feed that there is an event to read, so that open streams read it at once: as the change of a
 * resource, under a URI that no resource has.
 */
import { describeError } from "../../../core/lib/log.ts";
import type { Outbox } from "../../../core/ports/outbox.ts";
import type { Runtime } from "../../../core/ports/runtime.ts";

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

/** An outbox that also publishes each event that it has kept. A stream that misses this reads the event later. */
export function withPublishing<Kind extends Outbox>(
  outbox: Kind,
  { changeFeed, defer, log }: Pick<Runtime, "changeFeed" | "defer" | "log">,
): Kind {
  return {
    ...outbox,
    async emit(partition, event, ended) {
      const id = await outbox.emit(partition, event, ended);
      const report = (error: unknown) =>
        log({ level: "error", message: "event not published", error: describeError(error) });
      defer(changeFeed.publish({ of: "resource", uri: eventUri(partition, event.name) }).catch(report));
      return id;
    },
  };
}
