/** Finds the events that a caller may know of, checks arguments, and decides which events match them. */
import { canonical, isRecord, type Json } from "../lib/json.ts";
import { describeError, type Log } from "../lib/log.ts";
import { toIssues } from "../model/issues.ts";
import type { EventEntry } from "../model/offers.ts";
import type { Issue } from "../model/outcome.ts";
import { isNamed, lacking, type Principal } from "../model/principal.ts";
import { type StandardSchema, validateInput } from "../model/schema.ts";
import { type Matcher, matches } from "../outbox/matches.ts";
import type { Runtime } from "../ports/runtime.ts";

type Data = Readonly<Record<string, Json>>;

/**
 * Whether a caller has events: only one with a credential of its own, because all others share an id. Under `npm start`,
 * everyone on this machine has.
 */
export function hasEvents(principal: Principal, { isLocal = false }: Pick<Runtime, "isLocal">): boolean {
  return isLocal || isNamed(principal);
}

/** The events of the toolkits that are visible, whose scopes the caller could obtain. @param toolkit of the path */
export function visibleEvents(
  events: readonly EventEntry[] = [],
  { toolkits, reach }: Principal,
  toolkit: string | undefined,
): readonly EventEntry[] {
  return events.filter((event) => {
    if (lacking(event.traits.scopes, reach).length > 0) return false;
    // One of the server itself is about the tools of all toolkits.
    if (event.toolkit === undefined) return true;
    return (toolkits?.includes(event.toolkit) ?? true) && (toolkit ?? event.toolkit) === event.toolkit;
  });
}

/** Checks the arguments of a subscription. @returns mistakes in them; none if they fit */
export async function issuesIn(entry: EventEntry, args: Data): Promise<readonly Issue[]> {
  const parsed = await parsedBy((await entry.load()).default.input, args);
  return "issues" in parsed ? parsed.issues : [];
}

/**
 * Whether a subscriber with these arguments gets an event with these data.
 *
 * @param args as the subscriber has sent them
 * @throws what the event's own `matches` throws
 */
export async function isMatch(entry: EventEntry, args: Data, data: Data): Promise<boolean> {
  const { default: definition } = await entry.load();
  const parsed = await parsedBy(definition.input, args);
  // A deployment may have changed what an event takes, after it was subscribed to.
  if ("issues" in parsed) return false;
  if (definition.matches) return definition.matches(parsed.value as never, data as never);
  const wanted = isRecord(parsed.value) ? Object.entries(parsed.value) : [];
  return wanted.every(
    ([name, value]) => value === undefined || (Object.hasOwn(data, name) && canonical(data[name]) === canonical(value)),
  );
}

/**
 * How an outbox asks whether a subscriber gets an event. Never rejects: an event whose `matches` throws is for nobody,
 * and the log says so.
 */
export function matcherFor(events: readonly EventEntry[] = [], log: Log): Matcher {
  return async (filter, event) => {
    const entry = events.find(({ name }) => name === filter.name);
    // The deployment no longer has it.
    if (entry === undefined) return matches(filter, event);
    try {
      return await isMatch(entry, filter.args, event.data);
    } catch (error) {
      log({ level: "error", message: "event not matched", event: event.name, error: describeError(error) });
      return false;
    }
  };
}

async function parsedBy(schema: StandardSchema | undefined, args: Data) {
  if (schema === undefined) return { value: {} };
  // As tools are given theirs (core/run/parse-input.ts).
  const validated = await validateInput(schema, { __proto__: null, ...args });
  return validated.issues ? { issues: toIssues(validated.issues) } : { value: validated.value };
}
