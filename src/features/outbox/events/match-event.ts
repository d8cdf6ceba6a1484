/** Which subscribers get an event: by the event's own `matches`, or if their arguments equal members of its data. */
import { isRecord } from "../../../core/lib/json.ts";
import { describeError, type Log } from "../../../core/lib/log.ts";
import type { EventEntry } from "../../../core/model/primitives.ts";
import type { EventFilter, NewEvent } from "../../../core/ports/outbox.ts";
import { type Matcher, matches } from "../object/matches.ts";
import { parseArguments } from "./find-event.ts";

/**
 * How an outbox decides whether a subscriber gets an event. Never rejects: an event whose `matches` throws is for
 * nobody, and the log says so.
 */
export function matcherFor(events: readonly EventEntry[] = [], log: Log): Matcher {
  return async (filter, event) => {
    const entry = events.find(({ name }) => name === filter.name);
    // The deployment no longer has the event.
    if (entry === undefined) return matches(filter, event);
    try {
      return await isMatch(entry, filter, event);
    } catch (error) {
      log({ level: "error", message: "event not matched", event: event.name, error: describeError(error) });
      return false;
    }
  };
}

/**
 * @param filter has the arguments as the subscriber sent them
 * @throws what the event's own `matches` throws
 */
async function isMatch(entry: EventEntry, filter: EventFilter, event: NewEvent): Promise<boolean> {
  const { default: definition } = await entry.load();
  const parsed = await parseArguments(definition.input, filter.args);
  // The deployment may have changed the event's input after the client subscribed.
  if ("issues" in parsed) return false;
  if (definition.matches) return definition.matches(parsed.value as never, event.data as never);
  const given = isRecord(parsed.value) ? Object.entries(parsed.value).filter(([, value]) => value !== undefined) : [];
  return matches({ ...filter, args: Object.fromEntries(given) as EventFilter["args"] }, event);
}
