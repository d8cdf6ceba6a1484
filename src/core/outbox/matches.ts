/** Whether an event is one that a subscriber wants to hear of. */
import { canonical } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { EventFilter, NewEvent } from "../ports/outbox.ts";

/** @param filter for events of this name */
export type Matcher = (filter: EventFilter, event: NewEvent) => MaybePromise<boolean>;

/** Matches if the event's data has the same value under the name of every argument. */
export function matches({ args }: EventFilter, { data }: NewEvent): MaybePromise<boolean> {
  return Object.entries(args).every(
    ([name, wanted]) => Object.hasOwn(data, name) && canonical(data[name]) === canonical(wanted),
  );
}
