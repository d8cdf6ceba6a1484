/** Whether an event matches a subscriber's arguments, by the rule of an event without a `matches` of its own. */
import { canonical } from "../../../core/lib/json.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { EventFilter, NewEvent } from "../../../core/ports/outbox.ts";

/** Whether a subscriber gets an event of the name that its filter has. */
export type Matcher = (filter: EventFilter, event: NewEvent) => MaybePromise<boolean>;

/** Matches if the event's data has the same value under the name of every argument. */
export function matches({ args }: EventFilter, { data }: NewEvent): MaybePromise<boolean> {
  return Object.entries(args).every(
    ([name, wanted]) => Object.hasOwn(data, name) && canonical(data[name]) === canonical(wanted),
  );
}
