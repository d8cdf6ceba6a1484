/** Announces new events in the change feed, so that open streams read them at once. */
import { describeError } from "../../../core/lib/log.ts";
import type { Outbox } from "../../../core/ports/outbox.ts";
import type { Runtime } from "../../../core/ports/runtime.ts";

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
      defer(changeFeed.publish({ of: "event", name: event.name, partition }).catch(report));
      return id;
    },
  };
}
